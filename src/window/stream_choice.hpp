// This is the choice of how a long run goes between two ranks of the node, by kind of operation and
// by length. This is used by stream.cpp.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "transport/move/adaptive_choice.hpp"

namespace baton::window {

enum class StreamWay : std::uint8_t {
  through_cache,  // staging is written like other memory
  around_cache,   // staging is written by stores that leave no line in the writer's cache
  kernel,         // no stream: this rank copies by the kernel
  both_by_kernel  // both ranks copy by the kernel, each other segments
};
inline constexpr int stream_ways = 4;
using StreamChoice = transport::AdaptiveChoice<stream_ways>;

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
