#include "base/selection.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/nearest_name.hpp"
#include "base/report.hpp"
#include "base/shipped_profile.hpp"

namespace baton {

namespace {

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

// Returns the word that lies before the first of `ends`, and moves `*text` on to that character.
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

// Reads a range: N, N+ or N-M.
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

// Returns the number of a name. For an unknown name `problem` says so.
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

// Reads one of the conditions that stand behind ranks and bytes: the load, the nodes or the
// distance for which a row holds. `*told` has a bit for each of these that was given. False for an
// unknown word, and for a condition given twice.
bool read_condition(Word word, SelectionRow* row, unsigned* told) {
  auto first = [told](unsigned bit) {
    const bool is_first = !(*told & bit);
    *told |= bit;
    return is_first;
  };
  // The former words are accepted until the next release.
  const bool oversubscribed = word.is("oversubscribed") || word.is("crowded");
  if (oversubscribed || word.is("not_oversubscribed") || word.is("uncrowded")) {
    row->load = oversubscribed ? Load::oversubscribed : Load::not_oversubscribed;
    return first(1);
  }
  if (word.is("several_nodes") || word.is("one_node")) {
    row->nodes = word.is("several_nodes") ? Nodes::several : Nodes::one;
    return first(2);
  }
  if (word.is("near") || word.is("far")) {
    row->apart = word.is("near") ? Apart::near : Apart::far;
    return first(4);
  }
  return false;
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
          "is none of oversubscribed, not_oversubscribed, one_node, several_nodes, near and far, "
          "of "
          "each kind at most one",
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

std::span<const SelectionRow> default_selection() {
  return shipped_profile().selection;
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
  // A row that the user asks for holds everywhere; a measured row holds where it was measured.
  if (source == SelectionSource::forced) row->nodes = Nodes::any;
  read_row(text, row, problem);
  *text += std::strcspn(*text, ",");
  return true;
}

namespace {

struct Variable {
  const char* name;
  SelectionSource source;
};
constexpr Variable variables[] = {{"BATON_PROFILE_COLLECTIVES", SelectionSource::tuned},
                                  {"BATON_COLLECTIVES", SelectionSource::forced}};

// Reads the rows of a text or a variable. problem(words) is called for each entry that is wrong.
template <class Take, class Problem>
void each_row(const char* text, SelectionSource source, Take&& take, Problem&& tell) {
  SelectionRow row{};
  char problem[problem_length];
  while (text && next_selection_row(&text, source, &row, problem))
    problem[0] ? tell(problem) : take(row);
}
template <class Take, class Problem>
void each_row(const Variable& variable, Take&& take, Problem&& tell) {
  each_row(environment_variable(variable.name), variable.source, take, tell);
}

}  // namespace

void read_selection(bool report) {
  const std::span<const SelectionRow> defaults = default_selection();
  std::size_t most = defaults.size();
  for (const Variable& variable : variables)
    most += entries_in(environment_variable(variable.name));
  if (most == defaults.size()) return;
  auto* memory = static_cast<SelectionRow*>(std::malloc(most * sizeof(SelectionRow)));
  if (!memory) return;  // short of memory: the built-in rows serve
  SelectionRow* end = std::ranges::copy(defaults, memory).out;
  for (const Variable& variable : variables)
    each_row(
        variable, [&](const SelectionRow& row) { *end++ = row; },
        [&](const char* problem) {
          if (report) baton::report("in %s an entry is ignored: %s", variable.name, problem);
        });
  rows = {memory, end};
}

bool selection_names_distance(const char* rows) {
  bool names = std::ranges::any_of(default_selection(),
                                   [](const SelectionRow& row) { return row.apart != Apart::any; });
  auto look = [&names](const SelectionRow& row) { names |= row.apart != Apart::any; };
  auto ignore = [](const char*) {};
  each_row(rows, SelectionSource::tuned, look, ignore);
  return names;
}

std::uint64_t hash_of_selection_between_nodes() {
  std::uint64_t hash = 0xcbf29ce484222325;
  auto add = [&hash](const SelectionRow& row) {
    if (row.nodes == Nodes::one) return;
    for (std::int64_t word :
         {static_cast<std::int64_t>(row.algorithm), row.ranks_from, row.ranks_to, row.bytes_from,
          row.bytes_to, static_cast<std::int64_t>(row.of_all), static_cast<std::int64_t>(row.load),
          static_cast<std::int64_t>(row.apart)})
      hash = (hash ^ static_cast<std::uint64_t>(word)) * 0x100000001b3;
  };
  for (const SelectionRow& row : default_selection()) add(row);
  for (const Variable& variable : variables) each_row(variable, add, [](const char*) {});
  return hash;
}

}  // namespace baton
