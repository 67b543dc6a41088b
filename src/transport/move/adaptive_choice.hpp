// Chooses one of several ways to move bytes by what each took lately: for moves of about one size
// between two processes. The other ways are tried now and then: soon at first, seldomer each time
// that nothing changes, and soon again when the way in use takes another time than it did.
//
// Two measures are kept for each way. The cost is what the caller has measured of a move. The
// period is the time from the end of one move to the end of the next, with all that the program
// does meanwhile: what a copy leaves in the wrong cache the program pays for there, and no clock
// around the copy sees it. Where moves follow each other closely both count. Else the cost counts
// with the caller's guess of what the program pays later (docs/decisions/observed.md).
#pragma once

#include <algorithm>
#include <cstdint>

#include "platform/lock.hpp"

namespace baton::transport {

// A move took so many ticks by the clock, and will cost the program more later, by a guess.
struct MoveCost {
  std::int64_t measured;
  std::int64_t later = 0;
};

template <int ways>
class AdaptiveChoice {
 public:
  using Ticks = std::uint32_t;
  // Returns the way for the next move. Any thread.
  int now() const { return platform::load_shared(now_); }
  // Returns what is taken for the quickest way, tried or not.
  int best() const { return used_; }
  // Returns whether the first `open` ways were all seen.
  bool has_seen_all(int open = ways) const {
    return std::all_of(cost_, cost_ + open, [](Ticks ticks) { return ticks != 0; });
  }
  // Notes that a move by `way` took `cost` and ended at the tick `end`. A trial of another way, of
  // which the first `open` can be used, takes `in_a_row` moves.
  void took(int way, MoveCost cost, std::int64_t end, int in_a_row, int open = ways);
  // Tries a way with the next moves, unless one is being tried. What goes in the other direction
  // does so now: where both directions depend on each other only both together show a gain.
  void try_too(int way, int in_a_row) {
    if (!is_trying() && way != used_) begin_trial(way, in_a_row);
  }
  // Uses a way from now on, for a reason other than its time.
  void use(int way) {
    used_ = static_cast<std::uint8_t>(way);
    platform::store_shared(now_, used_);
  }

 private:
  // All guesses: moves until a trial; moves for which periods mean nothing once moves overlapped.
  static constexpr std::uint64_t period_weight = 3;
  static constexpr int first_turn = 3, turn_min = 12, turn_max = 1000;
  static constexpr std::uint8_t overlap_lasts = 64, counted_max = 255;

  bool is_trying() const { return now_ != used_; }
  // Noise only adds: a mean follows shorter times by half and longer ones slowly, and one that is
  // out of all proportion (somebody lost its CPU) counts as twice the mean.
  static void follow(Ticks& mean, std::int64_t sample, int slowness) {
    sample = std::clamp<std::int64_t>(sample, 1, mean ? 2 * std::int64_t{mean} : 1 << 30);
    const std::int64_t step = mean ? sample - mean : sample;
    mean = static_cast<Ticks>(mean + (mean == 0 ? step : step < 0 ? step / 2 : step / slowness));
  }
  // A trial is over before a mean has settled, so its least counts.
  static void follow_least(Ticks& least, std::int64_t sample) {
    sample = std::clamp<std::int64_t>(sample, 1, 1 << 30);
    if (least == 0 || sample < least) least = static_cast<Ticks>(sample);
  }
  bool periods_count() const {
    constexpr std::uint64_t close = 8;  // guess: of so many costs most is something else
    const Ticks period = std::min(period_[now_], period_[used_]);
    return overlapping_ == 0 && period != 0 && period < close * std::min(cost_[now_], cost_[used_]);
  }
  // Returns what a way takes, to compare the one that is tried with the one in use.
  std::uint64_t sum(int way) const {
    return cost_[way] + (periods_count() ? period_weight * period_[way] : later_[way]);
  }
  // Returns whether what is tried is clearly quicker: the margin keeps the choice from swinging.
  bool is_quicker() const {
    return cost_[now_] != 0 && cost_[used_] != 0 && 10 * sum(now_) < 9 * sum(used_);
  }
  // Returns whether a time differs clearly from what the used way took when it was chosen.
  bool is_odd(std::int64_t sample) const {
    const std::int64_t then = settled_;
    return then != 0 && (3 * sample > 4 * then || 5 * sample < 4 * then);
  }
  bool has_shifted() const {
    constexpr int patience = 16, odd_enough = 8;  // guesses
    return odd_ >= odd_enough && since_ >= turn_min + turn_ / patience;
  }
  bool trial_is_due() const {
    constexpr int strays_in_trial = 8;  // guess
    if (left_in_round_ > 0) return since_ >= first_turn;
    // Moves that were under way when the last trial ended still went that way.
    return since_ >= turn_ * (1 + strayed_ / strays_in_trial) || has_shifted();
  }
  // Returns whether a trial has shown enough: it has ended, or its way is clearly slower.
  bool trial_is_over() const {
    return left_ == 0 || (period_[now_] != 0 && sum(now_) > 2 * sum(used_));
  }
  // Returns one that nobody has seen, or the next in turn.
  int next_to_try(int open) const {
    for (int way = 0; way < open; ++way)
      if (cost_[way] == 0) return way;
    const int next = (tried_ + 1) % open;
    return next == used_ ? (next + 1) % open : next;
  }
  void measure(int way, std::int64_t cost, std::int64_t period);
  void begin_trial(int way, int in_a_row);
  void end_trial();

  std::int64_t end_ = 0;            // of the last move
  Ticks cost_[ways] = {};           // as measured; 0: never seen
  Ticks later_[ways] = {};          // a guess, from the last move
  Ticks period_[ways] = {};         // 0: never seen
  Ticks settled_ = 0;               // what the used way took when the last trial ended
  int since_ = 0;                   // moves since the last trial; in one, moves by other ways
  std::int16_t turn_ = first_turn;  // moves until the next round of trials
  std::uint8_t used_ = 0;           // what is taken for the quickest
  std::uint8_t now_ = 0;            // that, or what is tried
  std::uint8_t tried_ = 0;          // the last one that was tried
  std::uint8_t left_in_round_ = 0;  // trials that the round still has
  bool changed_in_round_ = false;   // one of them was quicker
  std::uint8_t last_ = ways;        // the way of the last move
  std::uint8_t left_ = 0;           // moves that the trial still needs
  std::uint8_t strayed_ = 0;        // moves by other ways than the used one since the trial began
  std::uint8_t overlapping_ = 0;    // moves for which periods still mean nothing
  std::uint8_t odd_ = 0;            // odd times in a row
};

template <int ways>
void AdaptiveChoice<ways>::took(int way, MoveCost cost, std::int64_t end, int in_a_row, int open) {
  // The first move by another way still finds what the way before has left behind.
  const std::int64_t period = way == last_ ? end - end_ : 0;
  last_ = static_cast<std::uint8_t>(way);
  end_ = end;
  measure(way, cost.measured, period);
  later_[way] = static_cast<Ticks>(std::clamp<std::int64_t>(cost.later, 0, 1 << 30));
  if (way != used_ && strayed_ < counted_max) ++strayed_;
  if (is_trying()) {
    // Where no move ever goes the way that is tried, the trial ends, too.
    if (way == now_) --left_;
    if (way == now_ ? trial_is_over() : ++since_ >= turn_max) end_trial();
    return;
  }
  const bool odd = is_odd(period > 0 && !overlapping_ ? period : cost.measured);
  odd_ = odd && odd_ < counted_max ? odd_ + 1 : odd ? odd_ : 0;
  if (way == used_) ++since_;
  if (!trial_is_due()) return;
  if (left_in_round_ == 0) {
    const bool all = has_shifted() || !has_seen_all(open);
    left_in_round_ = static_cast<std::uint8_t>(all ? open - 1 : 1);
    changed_in_round_ = false;
  }
  --left_in_round_;
  begin_trial(next_to_try(open), in_a_row);
}

template <int ways>
void AdaptiveChoice<ways>::measure(int way, std::int64_t cost, std::int64_t period) {
  // Moves that are shorter apart than one lasts were under way together.
  if (period > 0 && period < cost)
    overlapping_ = overlap_lasts;
  else if (overlapping_ > 0)
    --overlapping_;
  if (is_trying() && way == now_) {
    follow_least(cost_[way], cost);
    if (period > 0) follow_least(period_[way], period);
  } else {
    follow(cost_[way], cost, 4);
    if (period > 0) follow(period_[way], period, 8);
  }
}

template <int ways>
void AdaptiveChoice<ways>::begin_trial(int way, int in_a_row) {
  tried_ = static_cast<std::uint8_t>(way);
  platform::store_shared(now_, tried_);
  left_ = static_cast<std::uint8_t>(in_a_row);
  since_ = 0;
  strayed_ = 0;
  cost_[way] = period_[way] = 0;  // what it took long ago means nothing
}

template <int ways>
void AdaptiveChoice<ways>::end_trial() {
  const bool changes = is_quicker();
  use(changes ? now_ : used_);
  changed_in_round_ |= changes;
  settled_ = period_[used_] && !overlapping_ ? period_[used_] : cost_[used_];
  since_ = 0;
  odd_ = 0;
  if (left_in_round_ > 0) return;
  const int longer = changed_in_round_ ? turn_min : std::clamp(2 * turn_, turn_min, turn_max);
  turn_ = static_cast<std::int16_t>(longer);
}

}  // namespace baton::transport
