// Gives numbers that nobody can guess, for keys, nonces and the numbers of jobs.
#pragma once

#include <sys/random.h>

#include <cstdint>

#include "base/check.hpp"

namespace baton::platform {

inline std::uint64_t random_word() {
  std::uint64_t word = 0;
  BATON_INVARIANT(::getrandom(&word, sizeof word, 0) == sizeof word);
  return word;
}

// Returns the number of a job that begins, by which jobs that meet tell their ranks apart. It is
// not 0.
inline std::uint32_t random_job_number() {
  return static_cast<std::uint32_t>(random_word()) | 1;
}

}  // namespace baton::platform
