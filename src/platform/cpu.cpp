#include "platform/cpu.hpp"

#include <sched.h>

#include <algorithm>
#include <cerrno>

#include "base/settings.hpp"
#include "platform/double_word.hpp"

namespace baton::platform {

int cpu_level() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) return 4;
  if (__builtin_cpu_supports("x86-64-v3")) return 3;
  if (__builtin_cpu_supports("x86-64-v2")) return 2;
#endif
  return 1;
}

int vector_level() {
  return static_cast<int>(std::min<std::int64_t>(settings.vector_level_max, cpu_level()));
}

bool has_double_words() {
#ifdef __x86_64__
  __builtin_cpu_init();
  const bool promises = __builtin_cpu_is("intel") || __builtin_cpu_is("amd");
  return promises && __builtin_cpu_supports("avx") && __builtin_cpu_supports("cmpxchg16b");
#else
  return false;
#endif
}

bool tells_affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 || errno == EINVAL;  // a set of more CPUs
}

}  // namespace baton::platform
