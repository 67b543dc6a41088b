#include "cli/tune/contest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/settings.hpp"
#include "cli/tune/question.hpp"

namespace baton::cli::tune {

namespace {

using Cells = std::span<const profile::CollectiveCell>;

constexpr int rounds_max = 25;       // guess: results that are close after so many rounds are equal
constexpr int rounds_to_change = 5;  // guess: in three rounds chance makes all alike too often
constexpr double hopeless = 3;  // so many times slower in the first round: there is no second one
// The buffers of a rank, and those of all ranks together, are no longer than this; a guess.
constexpr std::int64_t buffer_bytes_max = 16 << 20, all_bytes_max = 256 << 20;

// The kinds that programs use most come first, so that a short search has them all.
constexpr CollectiveKind kinds[] = {
    CollectiveKind::allreduce, CollectiveKind::broadcast,      CollectiveKind::alltoall,
    CollectiveKind::allgather, CollectiveKind::reduce,         CollectiveKind::barrier,
    CollectiveKind::gather,    CollectiveKind::reduce_scatter, CollectiveKind::scatter,
    CollectiveKind::scan,      CollectiveKind::exscan};

constexpr std::int64_t sizes_tried[] = {8,     64,    512,    2048,   8192,
                                        16384, 32768, 131072, 524288, 1 << 20};

const char* kind_name(CollectiveKind kind) {
  return collective_kind_names[static_cast<int>(kind)];
}

bool divides(CollectiveKind kind) {
  return kind == CollectiveKind::alltoall || kind == CollectiveKind::reduce_scatter;
}
bool multiplies(CollectiveKind kind) {
  return kind == CollectiveKind::gather || kind == CollectiveKind::scatter ||
         kind == CollectiveKind::allgather;
}

bool can_be_measured(CollectiveKind kind, int ranks, std::int64_t bytes) {
  if (divides(kind) && bytes / ranks % 8 != 0) return false;
  const std::int64_t longest = multiplies(kind) ? bytes * ranks : bytes;
  return bytes >= (divides(kind) ? 8 * ranks : 0) && longest <= buffer_bytes_max &&
         longest * ranks <= all_bytes_max;
}

collective::Situation situation_of(const Contest& contest, std::int64_t bytes) {
  collective::Situation situation{contest.kind, contest.ranks, bytes};
  situation.oversubscribed = contest.oversubscribed;
  situation.near = contest.distance == Distance::near;
  situation.room_bytes_max = default_of(*find_setting("room_bytes_max"));  // as in measurements
  return situation;
}

bool is_of(const profile::CollectiveCell& cell, const Contest& contest, Algorithm algorithm,
           std::int64_t bytes) {
  return cell.ranks == contest.ranks && cell.bytes == bytes && cell.distance == contest.distance &&
         cell.algorithm == row_of(algorithm).name;
}

const std::vector<double>& times_of(Cells cells, const Contest& contest, Algorithm algorithm,
                                    std::int64_t bytes) {
  static const std::vector<double> none;
  for (const profile::CollectiveCell& cell : cells)
    if (is_of(cell, contest, algorithm, bytes)) return cell.medians_us;
  return none;
}

// Returns whether an algorithm has shown at once that it will not win.
bool is_hopeless(const Contest& contest, Algorithm algorithm, std::int64_t bytes, Cells cells) {
  const auto& own = times_of(cells, contest, algorithm, bytes);
  if (own.empty() || algorithm == built_in(contest, bytes)) return false;
  return std::ranges::any_of(rivals(contest, bytes), [&](Algorithm other) {
    const auto& times = times_of(cells, contest, other, bytes);
    return !times.empty() && own.front() > hopeless * times.front();
  });
}

// Returns whether no round can change the result: every remaining algorithm differs from the
// built-in one by twice the noise.
bool is_settled(const Contest& contest, std::int64_t bytes, Cells cells) {
  const Algorithm first = built_in(contest, bytes);
  const auto& its = times_of(cells, contest, first, bytes);
  if (its.empty()) return false;
  if (its.size() >= rounds_max) return true;
  return std::ranges::all_of(rivals(contest, bytes), [&](Algorithm other) {
    if (other == first || is_hopeless(contest, other, bytes, cells)) return true;
    const auto& times = times_of(cells, contest, other, bytes);
    const Comparison seen = compare_rounds(times, its);
    const int wanted = seen.ratio < 1 ? rounds_to_change : rounds_min;
    return seen.rounds >= wanted && std::abs(std::log(seen.ratio)) > 2 * seen.noise;
  });
}

struct Range {
  std::int64_t from;
  std::int64_t to;  // no_end: there is no upper limit

  std::string text() const {
    if (to == no_end) return fmt::format("{}+", from);
    return from == to ? std::to_string(from) : fmt::format("{}-{}", from, to);
  }
};

// A number of ranks holds up to the next one that was measured, within the same oversubscription.
Range ranks_of(const Contest& contest, std::span<const Contest> all) {
  Range range{contest.ranks, no_end};
  for (const Contest& other : all)
    if (other.kind == contest.kind && other.oversubscribed == contest.oversubscribed &&
        other.distance == contest.distance && other.ranks > contest.ranks)
      range.to = std::min<std::int64_t>(range.to, other.ranks - 1);
  return range;
}

// The first size holds for all shorter ones, but not for the one that not all ranks know (0).
Range bytes_of(const Contest& contest, std::size_t first, std::size_t last) {
  const bool none = contest.kind == CollectiveKind::barrier;
  return {none || first > 0 ? contest.sizes[first] : 1,
          last + 1 < contest.sizes.size() ? contest.sizes[last + 1] - 1 : no_end};
}

}  // namespace

std::vector<Contest> contests(std::span<const int> ranks, int cpus, Distance distance) {
  std::vector<Contest> all;
  for (CollectiveKind kind : kinds)
    for (int count : ranks) {
      Contest contest{kind, count, count > cpus, distance, {}};
      auto take = [&](std::int64_t bytes) {
        if (rivals(contest, bytes).size() > 1) contest.sizes.push_back(bytes);
      };
      if (kind == CollectiveKind::barrier)
        take(0);
      else
        for (std::int64_t bytes : sizes_tried)
          if (can_be_measured(kind, count, bytes)) take(bytes);
      if (!contest.sizes.empty()) all.push_back(contest);
    }
  return all;
}

Algorithm built_in(const Contest& contest, std::int64_t bytes) {
  return collective::choose(situation_of(contest, bytes), default_selection()).algorithm;
}

std::vector<Algorithm> rivals(const Contest& contest, std::int64_t bytes) {
  std::vector<Algorithm> all{built_in(contest, bytes)};
  for (int i = 0; i < algorithm_count; ++i) {
    const auto algorithm = static_cast<Algorithm>(i);
    if (row_of(algorithm).kind == contest.kind && algorithm != all.front() &&
        !collective::obstacle(algorithm, situation_of(contest, bytes)))
      all.push_back(algorithm);
  }
  return all;
}

profile::CollectiveCell* find_cell(std::span<profile::CollectiveCell> cells, const Contest& contest,
                                   Algorithm algorithm, std::int64_t bytes) {
  for (profile::CollectiveCell& cell : cells)
    if (is_of(cell, contest, algorithm, bytes)) return &cell;
  return nullptr;
}

Round next_round(const Contest& contest, Cells cells) {
  auto rounds_at = [&](std::int64_t bytes) {
    return static_cast<int>(times_of(cells, contest, built_in(contest, bytes), bytes).size());
  };
  std::vector<std::int64_t> open;
  int fewest = rounds_max;
  for (std::int64_t bytes : contest.sizes)
    if (!is_settled(contest, bytes, cells)) fewest = std::min(fewest, rounds_at(bytes));
  for (std::int64_t bytes : contest.sizes)
    if (!is_settled(contest, bytes, cells) && rounds_at(bytes) == fewest) open.push_back(bytes);
  Round round{fewest, {}};
  for (std::int64_t bytes : open)
    for (Algorithm algorithm : rivals(contest, bytes)) {
      if (is_hopeless(contest, algorithm, bytes, cells)) continue;
      auto found = std::ranges::find(round.entries, algorithm, &Entry::algorithm);
      if (found == round.entries.end())
        round.entries.push_back({algorithm, {bytes}});
      else
        found->sizes.push_back(bytes);
    }
  return round;
}

Verdict verdict(const Contest& contest, std::int64_t bytes, Cells cells) {
  Verdict best{built_in(contest, bytes), built_in(contest, bytes)};
  const auto& its = times_of(cells, contest, best.built_in, bytes);
  for (Algorithm other : rivals(contest, bytes)) {
    if (other == best.built_in) continue;
    const Comparison seen = compare_rounds(times_of(cells, contest, other, bytes), its);
    if (seen.rounds == 0 || (best.rounds > 0 && seen.ratio >= best.ratio)) continue;
    best.ratio = seen.ratio;
    best.noise = seen.noise;
    best.rounds = seen.rounds;
    const bool changes = seen.first_is_better() && seen.rounds >= rounds_to_change;
    best.algorithm = changes ? other : best.built_in;
  }
  return best;
}

std::vector<profile::ChosenRow> choose_rows(std::span<const Contest> all, Cells cells) {
  std::vector<profile::ChosenRow> rows;
  for (const Contest& contest : all) {
    std::vector<Verdict> verdicts;
    for (std::int64_t bytes : contest.sizes) verdicts.push_back(verdict(contest, bytes, cells));
    for (std::size_t first = 0, next; first < verdicts.size(); first = next) {
      const Algorithm algorithm = verdicts[first].algorithm;
      next = first + 1;
      if (algorithm == verdicts[first].built_in) continue;
      double least = verdicts[first].ratio, most = least;
      auto goes_on = [&](const Verdict& one) {
        return one.algorithm == algorithm && one.built_in == verdicts[first].built_in;
      };
      for (; next < verdicts.size() && goes_on(verdicts[next]); ++next) {
        least = std::min(least, verdicts[next].ratio);
        most = std::max(most, verdicts[next].ratio);
      }
      rows.push_back(
          {fmt::format("{}:{}:{}:{}:{}={}", kind_name(contest.kind), ranks_of(contest, all).text(),
                       bytes_of(contest, first, next - 1).text(),
                       contest.oversubscribed ? "oversubscribed" : "not_oversubscribed",
                       distance_names[static_cast<int>(contest.distance)], row_of(algorithm).name),
           fmt::format("it takes {} of the time of {} (noise {:.2f}, {} rounds)",
                       least == most ? fmt::format("{:.2f}", least)
                                     : fmt::format("{:.2f} to {:.2f}", least, most),
                       row_of(verdicts[first].built_in).name, verdicts[first].noise,
                       verdicts[first].rounds)});
    }
  }
  return rows;
}

}  // namespace baton::cli::tune
