// How long runs go between two ranks of the node: what each way took lately, by kind of operation
// and by length. Depends on how far the CPUs are from each other, and on what else they do; so it
// is measured, and the slower ways are tried again now and then. Used by stream.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

namespace baton::window {

enum class StreamWay : std::uint8_t {
  through_cache,  // slots are written like other memory,
  around_cache,   // or with stores that leave no line in the writer's cache
  kernel,         // no stream
};
inline constexpr int stream_ways = 3;

class StreamChoice {
 public:
  StreamWay next() {
    // Each first twice (the first time pages and lines are new), then the quickest with rare trials.
    constexpr std::uint32_t first_uses = 2 * stream_ways, trial_every = 64;  // guesses
    const std::uint32_t use = uses_++;
    if (use < first_uses) return static_cast<StreamWay>(use % stream_ways);
    if (use % trial_every == 0) return static_cast<StreamWay>(use / trial_every % stream_ways);
    return static_cast<StreamWay>(std::min_element(ticks_, ticks_ + stream_ways) - ticks_);
  }
  // It took so many ticks for 1 MiB.
  void took(StreamWay way, std::int64_t ticks) {
    std::int64_t& mean = ticks_[static_cast<int>(way)];
    // A use in which a rank lost its CPU says little; nor does the first.
    mean = mean == 0 || uses_ <= 2 * stream_ways ? ticks
                                                 : mean + (std::min(ticks, 2 * mean) - mean) / 4;
  }

 private:
  std::int64_t ticks_[stream_ways] = {};
  std::uint32_t uses_ = 0;
};

// Of one rank of the node, as a target.
struct StreamChoices {
  static constexpr int digits_min = 13, digits_max = 24;
  StreamChoice of[3][digits_max - digits_min + 1];

  // `kind`: from 0 on. Lengths go by their binary digits.
  StreamChoice& at(int kind, std::int64_t bytes) {
    const int digits = std::bit_width(static_cast<std::uint64_t>(bytes));
    return of[kind][std::clamp(digits, digits_min, digits_max) - digits_min];
  }
};

}  // namespace baton::window
