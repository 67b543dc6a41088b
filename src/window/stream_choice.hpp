// This is the choice of how a long run goes between two ranks of the node, from the time that each
// way took lately, by kind of operation and by length. The times depend on how far the CPUs are
// from each other, and on what else they do; so they are measured, and the slower ways are tried
// again now and then. This is used by stream.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace baton::window {

enum class StreamWay : std::uint8_t {
  through_cache,  // slots are written like other memory
  around_cache,   // slots are written by stores that leave no line in the writer's cache
  kernel,         // no stream: this rank copies by the kernel
  both_by_kernel  // both ranks copy by the kernel, each other segments
};

class StreamChoice {
 public:
  // Returns the way to use next, among the first `ways`.
  StreamWay next(std::uint32_t ways) {
    // Each way is tried twice first (the first time pages and lines are new); then the quickest is
    // used, with rare trials of the others.
    constexpr std::uint32_t trial_every = 64;  // guess
    const std::uint32_t use = uses_++;
    if (use < 2 * ways) return static_cast<StreamWay>(use % ways);
    if (use % trial_every == 0) return static_cast<StreamWay>(use / trial_every % ways);
    return static_cast<StreamWay>(std::min_element(ticks_, ticks_ + ways) - ticks_);
  }
  // Notes that the way took this many ticks for 1 MiB.
  void took(StreamWay way, std::int64_t ticks) {
    std::int64_t& mean = ticks_[static_cast<int>(way)];
    // A use in which a rank lost its CPU says little, so a large value counts at most twice the
    // mean; the first uses say nothing.
    mean =
        mean == 0 || uses_ <= 2 * ways_max ? ticks : mean + (std::min(ticks, 2 * mean) - mean) / 4;
  }

 private:
  static constexpr std::uint32_t ways_max = 4;
  std::int64_t ticks_[ways_max] = {};
  std::uint32_t uses_ = 0;
};

// These are the choices for one rank of the node, as a target.
struct StreamChoices {
  static constexpr int digits_min = 13, digits_max = 24;
  StreamChoice of[3][digits_max - digits_min + 1];

  // Returns the choice for a kind of operation, numbered from 0 on, and a length, classed by its
  // number of binary digits.
  StreamChoice& at(int kind, std::int64_t bytes) {
    const int digits = std::bit_width(static_cast<std::uint64_t>(bytes));
    return of[kind][std::clamp(digits, digits_min, digits_max) - digits_min];
  }
};

}  // namespace baton::window
