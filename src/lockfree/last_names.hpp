// This tells which ranks had the last numbers of a sequence, for people that want to know whom a
// rank waits for. It lies in the cache line of the sequence's counter, which a rank that has just
// taken a number owns. window/ uses it. Invariant: it is a hint; a name that was overwritten is
// recognized.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/atomics.hpp"

namespace baton::lockfree {

template <class Atomics>
struct LastNames {
  static constexpr std::uint32_t kept = 8;
  static constexpr std::uint32_t ranks_max = 0x7fff;  // ranks from this one on have no names
  // A name is: number << 16 | whether it writes << 15 | rank + 1.
  typename Atomics::template Atomic<std::uint32_t> names[kept];
};

// Names the rank that has `number`. `writes` says for a lock's number that its holder writes.
template <class Atomics>
BATON_INLINE void write_name(LastNames<Atomics>& last, std::uint32_t number, std::uint32_t rank,
                             bool writes = false) {
  // relaxed: nothing depends on it.
  last.names[number % LastNames<Atomics>::kept].store(
      number << 16 | std::uint32_t{writes} << 15 | (rank < last.ranks_max ? rank + 1 : 0),
      std::memory_order_relaxed);
}

struct NumberName {
  std::int32_t rank = -1;  // -1: not known, or not any more
  bool writes = false;
};
template <class Atomics>
NumberName name_of(const LastNames<Atomics>& last, std::uint32_t number) {
  // relaxed: as above.
  const std::uint32_t name =
      last.names[number % LastNames<Atomics>::kept].load(std::memory_order_relaxed);
  if ((name & 0x7fff) == 0 || name >> 16 != (number & 0xffff)) return {};
  return {static_cast<std::int32_t>(name & 0x7fff) - 1, (name & 0x8000) != 0};
}

}  // namespace baton::lockfree
