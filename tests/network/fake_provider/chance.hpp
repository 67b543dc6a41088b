// Chance that can be had again: all that the provider does in any order it does by this.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fake {

class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}

  // SplitMix64.
  std::uint64_t next() {
    std::uint64_t word = state_ += 0x9e3779b97f4a7c15;
    word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
    word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
    return word ^ (word >> 31);
  }
  std::size_t below(std::size_t limit) { return next() % limit; }
  bool one_in(std::size_t number) { return below(number) == 0; }

 private:
  std::uint64_t state_;
};

}  // namespace fake
