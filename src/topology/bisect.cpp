#include "topology/bisect.hpp"

#include <algorithm>
#include <limits>

namespace baton::topology {

namespace {

constexpr int rounds_max = 8;  // guess
// A round ends after this many exchanges in a row without a new best.
constexpr int patience = 64;  // guess

}  // namespace

bool Bisection::prepare(const Pattern& pattern) {
  pattern_ = &pattern;
  int ranks = pattern.ranks();
  side_ = make_array<Side>(ranks);
  kept_ = make_array<Side>(ranks);
  gain_ = make_array<std::int64_t>(ranks);
  tie_ = make_array<std::int64_t>(ranks);
  fixed_ = make_array<bool>(ranks);
  queue_ = make_array<std::int32_t>(ranks);
  moved_ = make_array<std::int32_t>(ranks);
  return side_ && kept_ && gain_ && tie_ && fixed_ && queue_ && moved_;
}

void Bisection::divide(std::int32_t* ranks, int count, int first_count) {
  number(ranks, count, first_count);
  std::int64_t numbered = improve(ranks, count);
  for (int i = 0; i < count; ++i) kept_[ranks[i]] = side_[ranks[i]];
  grow(ranks, count, first_count);
  std::int64_t grown = improve(ranks, count);
  if (numbered <= grown)
    for (int i = 0; i < count; ++i) side_[ranks[i]] = kept_[ranks[i]];
  std::stable_partition(ranks, ranks + count,
                        [&](std::int32_t rank) { return side_[rank] == Side::first; });
  for (int i = 0; i < count; ++i) side_[ranks[i]] = Side::elsewhere;
}

void Bisection::number(const std::int32_t* ranks, int count, int first_count) {
  for (int i = 0; i < count; ++i) side_[ranks[i]] = i < first_count ? Side::first : Side::second;
}

// Grows the first part: it adds the rank that communicates most with the part so far, and one with
// which nobody there communicates only when there is no other.
void Bisection::grow(const std::int32_t* ranks, int count, int first_count) {
  number(ranks, count, 0);
  find_gains(ranks, count);
  for (int i = 0; i < count; ++i) tie_[ranks[i]] = 0;
  std::int32_t next = find_end(ranks, count);
  for (int taken = 1;; ++taken) {
    move(next);
    for (std::int64_t i = pattern_->begin(next); i < pattern_->end(next); ++i)
      tie_[pattern_->neighbor(i)] += pattern_->weight(i);
    if (taken == first_count) break;
    next = -1;
    for (int i = 0; i < count; ++i) {
      std::int32_t rank = ranks[i];
      if (side_[rank] != Side::second) continue;
      bool touches = tie_[rank] > 0, next_touches = next >= 0 && tie_[next] > 0;
      if (next < 0 || touches > next_touches ||
          (touches == next_touches && gain_[rank] > gain_[next]))
        next = rank;
    }
  }
  std::fill_n(tie_.get(), pattern_->ranks(), 0);
}

// Finds a rank that is as far from the first as any: the last one of a breadth-first search.
std::int32_t Bisection::find_end(const std::int32_t* ranks, int count) {
  for (int i = 0; i < count; ++i) fixed_[ranks[i]] = false;
  std::int32_t* queue = queue_.get();
  int tail = 0;
  queue[tail++] = ranks[0];
  fixed_[ranks[0]] = true;
  for (int head = 0; head < tail; ++head)
    for (std::int64_t i = pattern_->begin(queue[head]); i < pattern_->end(queue[head]); ++i) {
      std::int32_t rank = pattern_->neighbor(i);
      if (side_[rank] == Side::elsewhere || fixed_[rank]) continue;
      fixed_[rank] = true;
      queue[tail++] = rank;
    }
  return queue[tail - 1];
}

void Bisection::find_gains(const std::int32_t* ranks, int count) {
  for (int k = 0; k < count; ++k) {
    std::int32_t rank = ranks[k];
    std::int64_t gain = 0;
    for (std::int64_t i = pattern_->begin(rank); i < pattern_->end(rank); ++i) {
      Side side = side_[pattern_->neighbor(i)];
      if (side != Side::elsewhere)
        gain += side == side_[rank] ? -pattern_->weight(i) : pattern_->weight(i);
    }
    gain_[rank] = gain;
  }
}

// Moves a rank to the other side, and updates its own gain and its neighbors'.
void Bisection::move(std::int32_t rank) {
  Side from = side_[rank];
  side_[rank] = from == Side::first ? Side::second : Side::first;
  gain_[rank] = -gain_[rank];
  for (std::int64_t i = pattern_->begin(rank); i < pattern_->end(rank); ++i) {
    std::int32_t other = pattern_->neighbor(i);
    gain_[other] += 2 * (side_[other] == from ? pattern_->weight(i) : -pattern_->weight(i));
  }
}

// Returns the weight of the edges between the two sides, each counted from both its ends.
std::int64_t Bisection::cut(const std::int32_t* ranks, int count) const {
  std::int64_t sum = 0;
  for (int k = 0; k < count; ++k)
    for (std::int64_t i = pattern_->begin(ranks[k]); i < pattern_->end(ranks[k]); ++i) {
      Side side = side_[pattern_->neighbor(i)];
      if (side != Side::elsewhere && side != side_[ranks[k]]) sum += pattern_->weight(i);
    }
  return sum;
}

// Exchanges ranks until nothing is gained; returns the cut that is left.
std::int64_t Bisection::improve(const std::int32_t* ranks, int count) {
  for (int round = 0; round < rounds_max; ++round)
    if (exchange_once(ranks, count) == 0) break;
  return cut(ranks, count);
}

// Returns the rank of a side that may move and gains most, less its weight to the rank that moved.
std::int32_t Bisection::best_of(Side side, const std::int32_t* ranks, int count) const {
  std::int32_t best = -1;
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (int i = 0; i < count; ++i) {
    std::int32_t rank = ranks[i];
    if (side_[rank] != side || fixed_[rank] || gain_[rank] - 2 * tie_[rank] <= most) continue;
    most = gain_[rank] - 2 * tie_[rank];
    best = rank;
  }
  return best;
}

// Does one round: every rank moves once at most, good or bad; then every move after the best state
// is undone. Returns what was gained.
std::int64_t Bisection::exchange_once(const std::int32_t* ranks, int count) {
  find_gains(ranks, count);
  for (int i = 0; i < count; ++i) fixed_[ranks[i]] = false;
  std::int64_t gained = 0, best = 0;
  int moves = 0, best_moves = 0;
  while (moves - best_moves < 2 * patience) {
    std::int32_t out = best_of(Side::first, ranks, count);
    if (out < 0) break;
    for (std::int64_t i = pattern_->begin(out); i < pattern_->end(out); ++i)
      tie_[pattern_->neighbor(i)] += pattern_->weight(i);
    std::int32_t in = best_of(Side::second, ranks, count);
    if (in >= 0) gained += gain_[out] + gain_[in] - 2 * tie_[in];
    for (std::int64_t i = pattern_->begin(out); i < pattern_->end(out); ++i)
      tie_[pattern_->neighbor(i)] = 0;
    if (in < 0) break;
    for (std::int32_t rank : {out, in}) {
      move(rank);
      fixed_[rank] = true;
      moved_[moves++] = rank;
    }
    if (gained > best) {
      best = gained;
      best_moves = moves;
    }
  }
  while (moves > best_moves) move(moved_[--moves]);
  return best;
}

}  // namespace baton::topology
