// Gives numbers that nobody can guess, for keys and nonces.
#pragma once

#include <sys/random.h>

#include <cstdint>

#include "base/check.hpp"

namespace baton::transport::network {

inline std::uint64_t random_word() {
  std::uint64_t word = 0;
  BATON_INVARIANT(::getrandom(&word, sizeof word, 0) == sizeof word);
  return word;
}

}  // namespace baton::transport::network
