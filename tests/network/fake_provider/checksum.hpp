// By which the provider notices that memory in its hands was changed. Quick, and no more than that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace fake {

inline std::uint64_t checksum(const void* memory, std::size_t bytes, std::uint64_t before = 0) {
  const auto* at = static_cast<const char*>(memory);
  std::uint64_t sum = before + bytes;
  for (; bytes > 0;) {
    const std::size_t taken = bytes < sizeof sum ? bytes : sizeof sum;
    std::uint64_t word = 0;
    std::memcpy(&word, at, taken);
    sum = (sum ^ word) * 0x9e3779b97f4a7c15;
    sum ^= sum >> 29;
    at += taken;
    bytes -= taken;
  }
  return sum;
}

}  // namespace fake
