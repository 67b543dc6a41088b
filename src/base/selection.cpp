#include "base/selection.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/nearest_name.hpp"
#include "base/report.hpp"
#include "base/settings.hpp"

namespace baton {

namespace {

using enum Algorithm;

constexpr SelectionRow guess(Algorithm algorithm, std::int64_t ranks_from,
                             std::int64_t bytes_from = 0) {
  return {algorithm, SelectionSource::guess, ranks_from, no_end, bytes_from, no_end};
}

// Of two ranks each writes next in a room what it has read last (lockfree/room.hpp), so that blocks
// are quicker than messages where both give and get, at any length (us, messages and room, Emerald
// Rapids: allgather 32 KiB 7.7 3.7, just written 9.6 5.0; 256 KiB 39 29, 61 37; alltoall blocks of
// 16 KiB 2.7 2.2, 5.3 3.0; allreduce 8 KiB 2.4 2.0, 32 KiB 8.0 5.4, 256 KiB 36 29, 1 MiB 153 158,
// 246 206; reduce_scatter 4 KiB 1.16 .98, 32 KiB 5.1 3.7, 1 MiB 218 181; Zen 4: allgather 4 KiB .78
// .45, 64 KiB 6.2 5.0; alltoall blocks of 4 KiB .81 .47, 64 KiB 6.2 5.6, 1 MiB 96 99;
// reduce_scatter 128 KiB 7.7 4.3, 2 MiB 122 84; segmented allreduce there: not measured). One way
// only short ones are, since what was read is still in the other's cache (512 B, 2, 4 KiB:
// broadcast .43 .39, .70 .71, 1.10 1.06; scatter .46 .40, .70 .72, 1.15 1.05; on Zen 4 broadcast 2
// KiB .35 .30, 8 KiB .57 1.12).
constexpr SelectionRow of_two(Algorithm algorithm, std::int64_t bytes_from,
                              std::int64_t bytes_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          2,
          2,
          bytes_from,
          bytes_to,
          "2 cores of a Zen 4 and of an Emerald Rapids virtual machine, 2026-11-23",
          false,
          Load::any,
          Load::not_oversubscribed};
}
constexpr std::int64_t one_way = 4096;

// Of more ranks: beyond what a room takes at once, segment by segment there, or direct copies; the
// longest allreduces by messages. Where between the measured sizes one begins is a guess
// (docs/decisions/collectives.md).
constexpr SelectionRow of_more(Algorithm algorithm, std::int64_t bytes_from,
                               std::int64_t ranks_from = 3) {
  return {algorithm,
          SelectionSource::measured,
          ranks_from,
          no_end,
          bytes_from,
          no_end,
          "2 cores of a Zen 4 virtual machine, 8 and 32 ranks, 2026-11-22",
          false,
          Load::any,
          Load::oversubscribed};
}
// Where ranks outnumber CPUs, the best for longer reductions (us, least of 3 turns, before and
// chain: 4 ranks, reduce 64 KiB 13.9 9.8, allreduce 16 KiB 17.3 10.7, reduce_scatter of 64 KiB
// 18.5 13.2; 8 ranks, 64 KiB 32.5 33, 40.9 67.9, of 256 KiB 108 80; 32 ranks, 256 KiB 2269 658,
// 2916 1369, of 256 KiB 581 663, of 2 MiB 6580 3619).
constexpr SelectionRow of_oversubscribed(Algorithm algorithm, std::int64_t bytes_from,
                                         std::int64_t ranks_from, std::int64_t ranks_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          ranks_from,
          ranks_to,
          bytes_from,
          no_end,
          "2 cores of a Zen 4 virtual machine, 4, 8 and 32 ranks, 2026-11-23",
          false,
          Load::oversubscribed,
          Load::oversubscribed};
}
constexpr std::int64_t some_ranks = 6, many_ranks = 16;  // guesses: between 4 and 8, 8 and 32
constexpr std::int64_t beyond_a_room = 65537;

// Of 6 and more ranks, but not on processors of AMD: direct copies already of shorter blocks (us,
// in the room and direct, warm and cold: gather, 8 ranks, 8 KiB 8.8 10.6, 10.2 14.1, 32
// KiB 30 19, 35 32, 64 KiB 60 37, 70 57, 32 ranks 32 KiB 238 178, 242 181; scatter, 8 ranks, 32 KiB
// 30 21, 34 36, 64 KiB 53 40, 73 65, 32 ranks 32 KiB 171 158, 238 231; 4 ranks 64 KiB 16 13, 24 26;
// alltoall, segmented and direct, 8 ranks, blocks of 8 KiB 45 50, 53 75, 16 KiB 100 64, 126 112, 64
// KiB 358 241, 476 430; 32 ranks 16 KiB 1682 1443, 2107 2146).
constexpr SelectionRow of_some(Algorithm algorithm, std::int64_t bytes_from,
                               std::int64_t ranks_to = no_end) {
  return {algorithm,
          SelectionSource::measured,
          some_ranks,
          ranks_to,
          bytes_from,
          no_end,
          "2 cores of an Emerald Rapids virtual machine, 8 and 32 ranks, 2026-11-23",
          false,
          Load::any,
          Load::oversubscribed};
}

// From so many bytes of all ranks together on each combines a part only; a guess.
constexpr SelectionRow by_parts{
    allreduce_by_parts_in_room, SelectionSource::guess, 3, no_end, 16385, no_end, "", true};

// Where ranks have a CPU each and the machine divides many of them: who reads few lines waits less
// for those that are far. A guess.
constexpr SelectionRow hierarchical(Algorithm algorithm) {
  return {algorithm, SelectionSource::guess,  many_ranks, no_end, 0, no_end, "",
          false,     Load::not_oversubscribed};
}

// Of more ranks than this a room has shorter blocks (lockfree/room_size.hpp): what does not fit
// goes as what is beyond any room's. A guess.
constexpr std::int64_t large = 65;

// Short ones of many ranks that have no room: few partners each, since a first message between two
// ranks costs memory and time, and a step of all ranks turns of the CPUs. Guesses.
constexpr SelectionRow short_of_many(Algorithm algorithm, std::int64_t bytes_to) {
  return {algorithm, SelectionSource::guess, 33, no_end, 0, bytes_to};
}

// Between nodes: by messages alone, in few steps what is short, in short messages what is long.
// There is no network to measure yet: guesses.
constexpr SelectionRow between_nodes(Algorithm algorithm, std::int64_t bytes_from = 0,
                                     std::int64_t bytes_to = no_end) {
  SelectionRow row{algorithm, SelectionSource::guess, 1, no_end, bytes_from, bytes_to};
  row.nodes = Nodes::several;
  return row;
}

// The last that fits wins: what goes by messages comes first among its kind, rooms after it.
constexpr SelectionRow on_all[] = {
    guess(barrier_dissemination, 1),
    guess(barrier_in_room, 2),
    hierarchical(barrier_hierarchical_in_room),

    guess(broadcast_binomial, 1),
    of_two(broadcast_in_room, 0, one_way),
    guess(broadcast_direct, large, 1024),
    guess(broadcast_in_room, 3),
    hierarchical(broadcast_hierarchical_in_room),
    of_more(broadcast_direct, beyond_a_room),

    guess(gather_linear, 1),
    of_two(gather_in_room, 0, one_way),
    guess(gather_direct, large, 1024),
    guess(gather_in_room, 3),
    of_more(gather_direct, beyond_a_room),
    of_some(gather_direct, 32768),

    guess(scatter_linear, 1),
    of_two(scatter_in_room, 0, one_way),
    guess(scatter_direct, large, 1024),
    guess(scatter_in_room, 3),
    of_more(scatter_direct, beyond_a_room),
    of_some(scatter_direct, 32768),

    guess(allgather_ring, 1),
    short_of_many(allgather_bruck, 4096),
    of_two(allgather_in_room, 0, beyond_a_room - 1),
    of_two(allgather_segmented_in_room, beyond_a_room),
    guess(allgather_direct, large, 1024),
    guess(allgather_in_room, 3),
    of_more(allgather_direct, beyond_a_room),

    guess(alltoall_in_place, 1),
    guess(alltoall_pairwise, 1),
    short_of_many(alltoall_bruck, 1 << 18),
    of_two(alltoall_in_room, 0, beyond_a_room - 1),
    of_two(alltoall_segmented_in_room, beyond_a_room, 524288),
    guess(alltoall_segmented_in_room, large, 1024),
    guess(alltoall_in_room, 3),
    of_more(alltoall_direct, 524288),
    of_more(alltoall_segmented_in_room, beyond_a_room, some_ranks),
    of_some(alltoall_direct, 131072, many_ranks - 1),
    of_more(alltoall_direct, 1 << 20),

    guess(reduce_binomial, 1),
    of_two(reduce_in_room, 0, one_way),
    of_two(reduce_chain_in_room, 524288),
    guess(reduce_direct, large, 1024),
    guess(reduce_in_room, 3),
    hierarchical(reduce_hierarchical_in_room),
    of_more(reduce_direct, beyond_a_room),
    of_oversubscribed(reduce_chain_in_room, 32769, 3, some_ranks - 1),
    of_oversubscribed(reduce_chain_in_room, beyond_a_room, some_ranks),

    guess(allreduce_doubling, 1),
    guess(allreduce_halving, 1, 8192),
    of_two(allreduce_in_room, 0, one_way),
    of_two(allreduce_segmented_in_room, one_way + 1),
    guess(allreduce_direct, large, 1024),
    guess(allreduce_in_room, 3),
    hierarchical(allreduce_hierarchical_in_room),
    by_parts,
    of_more(allreduce_direct, beyond_a_room),
    of_more(allreduce_halving, 262144),
    of_oversubscribed(allreduce_chain_in_room, 16384, 3, some_ranks - 1),
    of_oversubscribed(allreduce_chain_in_room, beyond_a_room, some_ranks),

    guess(reduce_scatter_rooted, 1),
    guess(reduce_scatter_pairwise, 1, 8192),
    short_of_many(reduce_scatter_rooted, 1 << 18),
    of_two(reduce_scatter_in_room, 0, 2048),
    of_two(reduce_scatter_segmented_in_room, 2049),
    guess(reduce_scatter_segmented_in_room, large, 1024),
    guess(reduce_scatter_in_room, 3),
    of_more(reduce_scatter_segmented_in_room, beyond_a_room),
    of_oversubscribed(reduce_scatter_chain_in_room, 65536, 3, some_ranks - 1),
    of_oversubscribed(reduce_scatter_chain_in_room, beyond_a_room, some_ranks, many_ranks - 1),
    of_oversubscribed(reduce_scatter_chain_in_room, 524288, many_ranks),

    guess(scan_doubling, 1),
    of_two(scan_in_room, 0, one_way),
    guess(scan_in_room, 3),

    guess(exscan_doubling, 1),
    of_two(exscan_in_room, 0, one_way),
    guess(exscan_in_room, 3),

    guess(neighbor_allgather_exchange, 1),
    guess(neighbor_alltoall_exchange, 1),

    between_nodes(barrier_dissemination),
    between_nodes(broadcast_binomial),
    between_nodes(gather_linear),
    between_nodes(gather_binomial, 0, 4096),
    between_nodes(scatter_linear),
    between_nodes(allgather_ring),
    between_nodes(allgather_bruck, 0, 4096),
    between_nodes(alltoall_in_place),
    between_nodes(alltoall_pairwise),
    between_nodes(alltoall_bruck, 0, 32768),
    between_nodes(reduce_binomial),
    between_nodes(allreduce_doubling),
    between_nodes(allreduce_halving, 8192),
    between_nodes(reduce_scatter_rooted),
    between_nodes(reduce_scatter_pairwise, 8192),
    between_nodes(scan_doubling),
    between_nodes(exscan_doubling),
    between_nodes(neighbor_allgather_exchange),
    between_nodes(neighbor_alltoall_exchange),
};

// On processors of AMD nothing of `of_some`, where system calls are dearer; and two ranks' reduces
// go along the chain before they go by messages (us, messages, chain: 8 KiB .93 .77, 32
// KiB 2.7 2.2, 256 KiB 17.4 14.9, 512 KiB 33.8 37.5), the other way round on others (16
// KiB 2.5 3.9, 64 KiB 7.6 7.6, 1 MiB 140 122).
constexpr SelectionRow on_amd[] = {guess(gather_in_room, some_ranks),
                                   of_more(gather_direct, beyond_a_room),
                                   guess(scatter_in_room, some_ranks),
                                   of_more(scatter_direct, beyond_a_room),
                                   of_more(alltoall_segmented_in_room, 131072, some_ranks),
                                   of_more(alltoall_direct, 1 << 20),
                                   of_two(reduce_chain_in_room, one_way + 1),
                                   of_two(reduce_binomial, 262145)};
constexpr auto all_on_amd = [] {
  std::array<SelectionRow, std::size(on_all) + std::size(on_amd)> all{};
  std::ranges::copy(on_amd, std::ranges::copy(on_all, all.begin()).out);
  return all;
}();

std::span<const SelectionRow> rows;  // empty: the built-in ones

// ---- the text form ----

struct Word {
  const char* text;
  int length;

  bool is(const char* name) const {
    return std::strlen(name) == static_cast<std::size_t>(length) &&
           std::strncmp(text, name, static_cast<std::size_t>(length)) == 0;
  }
};

// What lies before the first of `ends`; moves on to it.
Word word_before(const char** text, const char* ends) {
  Word word{*text, static_cast<int>(std::strcspn(*text, ends))};
  *text += word.length;
  return word;
}

bool read_number(const char** text, std::int64_t* number) {
  if (!std::isdigit(static_cast<unsigned char>(**text))) return false;
  char* end = nullptr;
  *number = std::strtoll(*text, &end, 10);
  const char suffix = static_cast<char>(std::tolower(static_cast<unsigned char>(*end)));
  const int shift = suffix == 'k' ? 10 : suffix == 'm' ? 20 : 0;
  *text = end + (shift > 0);
  if (*number >= no_end >> shift) return false;
  *number <<= shift;
  return true;
}

// N, N+ or N-M.
bool read_range(Word word, std::int64_t* from, std::int64_t* to) {
  const char* at = word.text;
  const char* end = word.text + word.length;
  if (!read_number(&at, from)) return false;
  *to = *from;
  if (at < end && *at == '+') {
    *to = no_end;
    ++at;
  } else if (at < end && *at == '-') {
    ++at;
    if (!read_number(&at, to)) return false;
  }
  return at == end && *from <= *to;
}

// The number of a name; without one `problem` says so.
template <class NameOf>
int find_name(Word word, const char* what, int count, NameOf name_of,
              char (&problem)[problem_length]) {
  const std::string_view current = current_name({word.text, static_cast<std::size_t>(word.length)});
  int nearest = 0;
  for (int i = 0; i < count; ++i) {
    if (current == name_of(i)) return i;
    if (edit_distance(word.text, word.length, name_of(i)) <
        edit_distance(word.text, word.length, name_of(nearest)))
      nearest = i;
  }
  std::snprintf(problem, sizeof problem, "there is no %s \"%.*s\"; the nearest is %s", what,
                std::min(word.length, longest_name), word.text, name_of(nearest));
  return -1;
}

// Behind ranks and bytes: where else a row holds. `*told` has a bit for each of load and nodes
// that was told; false for another word, and for a second one.
bool read_condition(Word word, SelectionRow* row, unsigned* told) {
  const bool several = word.is("several_nodes");
  // The former words are read until the next release.
  const bool oversubscribed = word.is("oversubscribed") || word.is("crowded");
  const bool of_nodes = several || word.is("one_node");
  if (!of_nodes && !oversubscribed && !word.is("not_oversubscribed") && !word.is("uncrowded"))
    return false;
  const unsigned bit = of_nodes ? 2 : 1;
  const bool first = !(*told & bit);
  *told |= bit;
  if (of_nodes)
    row->nodes = several ? Nodes::several : Nodes::one;
  else
    row->load = oversubscribed ? Load::oversubscribed : Load::not_oversubscribed;
  return first;
}

bool read_limits(const char** text, SelectionRow* row, char (&problem)[problem_length]) {
  auto wrong = [&](const char* words, Word word) {
    std::snprintf(problem, sizeof problem, "\"%.*s\" %s", std::min(word.length, longest_name),
                  word.text, words);
    return false;
  };
  unsigned told = 0;
  for (int field = 0; **text == ':'; ++field) {
    ++*text;
    const Word word = word_before(text, ":=,");
    if (field == 0 && !read_range(word, &row->ranks_from, &row->ranks_to))
      return wrong("is no number of ranks: N, N+ or N-M", word);
    if (field == 1 && !read_range(word, &row->bytes_from, &row->bytes_to))
      return wrong("is no number of bytes: N, N+ or N-M, with k or m", word);
    if (field >= 2 && !read_condition(word, row, &told))
      return wrong(
          "is none of oversubscribed, not_oversubscribed, one_node and several_nodes, each at most "
          "once",
          word);
  }
  return true;
}

void read_row(const char** text, SelectionRow* row, char (&problem)[problem_length]) {
  const Word kind_word = word_before(text, ":=,");
  auto kind_name = [](int i) { return collective_kind_names[i]; };
  const int kind = find_name(kind_word, "collective", collective_kind_count, kind_name, problem);
  if (kind < 0 || !read_limits(text, row, problem)) return;
  if (**text != '=') {
    std::snprintf(problem, sizeof problem, "\"%.*s\" has no =ALGORITHM behind it",
                  std::min(kind_word.length, longest_name), kind_word.text);
    return;
  }
  ++*text;
  const Word word = word_before(text, ",");
  auto name = [](int i) { return algorithm_rows[i].name; };
  const int algorithm = find_name(word, "algorithm", algorithm_count, name, problem);
  if (algorithm < 0) return;
  row->algorithm = static_cast<Algorithm>(algorithm);
  if (static_cast<int>(row->kind()) != kind)
    std::snprintf(problem, sizeof problem, "%s is an algorithm of %s, not of %s", name(algorithm),
                  kind_name(static_cast<int>(row->kind())), kind_name(kind));
}

std::size_t entries_in(const char* text) {
  return text ? 1 + static_cast<std::size_t>(std::count(text, text + std::strlen(text), ',')) : 0;
}

}  // namespace

std::span<const SelectionRow> default_selection(bool amd) {
  if (amd) return all_on_amd;
  return on_all;
}

std::span<const SelectionRow> default_selection() {
  return default_selection(processor_is_amd());
}

std::span<const SelectionRow> selection() {
  return rows.empty() ? default_selection() : rows;
}

bool next_selection_row(const char** text, SelectionSource source, SelectionRow* row,
                        char (&problem)[problem_length]) {
  while (**text == ',') ++*text;
  problem[0] = 0;
  if (!**text) return false;
  *row = {Algorithm{}, source};
  // What the user asks for holds everywhere, what was measured where that was.
  if (source == SelectionSource::forced) row->nodes = Nodes::any;
  read_row(text, row, problem);
  *text += std::strcspn(*text, ",");
  return true;
}

void read_selection(bool report) {
  const struct {
    const char* name;
    SelectionSource source;
  } variables[] = {{"BATON_PROFILE_COLLECTIVES", SelectionSource::tuned},
                   {"BATON_COLLECTIVES", SelectionSource::forced}};
  const std::span<const SelectionRow> defaults = default_selection();
  std::size_t most = defaults.size();
  for (const auto& variable : variables) most += entries_in(environment_variable(variable.name));
  if (most == defaults.size()) return;
  auto* memory = static_cast<SelectionRow*>(std::malloc(most * sizeof(SelectionRow)));
  if (!memory) return;  // the built-in ones serve
  SelectionRow* end = std::ranges::copy(defaults, memory).out;
  for (const auto& variable : variables) {
    const char* text = environment_variable(variable.name);
    SelectionRow row{};
    char problem[problem_length];
    while (text && next_selection_row(&text, variable.source, &row, problem)) {
      if (!problem[0])
        *end++ = row;
      else if (report)
        baton::report("in %s an entry is ignored: %s", variable.name, problem);
    }
  }
  rows = {memory, end};
}

}  // namespace baton
