#include "platform/cpu.hpp"

#include <sched.h>

#ifdef __x86_64__
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>

#include "base/settings.hpp"

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

bool halves_512_bits() {
#ifdef __x86_64__
  __builtin_cpu_init();
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (!__builtin_cpu_is("amd") || !__get_cpuid(1, &a, &b, &c, &d)) return false;
  constexpr unsigned zen_3_and_4 = 0x19;
  const unsigned base = a >> 8 & 0xf, family = base == 0xf ? base + (a >> 20 & 0xff) : base;
  return family == zen_3_and_4;
#else
  return false;
#endif
}

bool is_virtual_machine() {
#ifdef __x86_64__
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned hypervisor = 1u << 31;
  return __get_cpuid(1, &a, &b, &c, &d) && (c & hypervisor);
#else
  return false;
#endif
}

bool tells_affinity() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 || errno == EINVAL;  // EINVAL: more CPUs
}

}  // namespace baton::platform
