// Shared-memory structures are templated over these atomics. Shipped code uses Hardware; the
// interleaving checker in tests/lockfree/ substitutes a model with store buffers.
// Payload is moved by the policy too, so that the checker sees every access.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstring>

#include "base/cache_line.hpp"
#include "platform/futex.hpp"

namespace baton::lockfree {

struct Hardware {
  template <class T>
  using Atomic = std::atomic<T>;

  // Orders all earlier accesses before all later ones, stores before loads included.
  BATON_INLINE static void full_fence() { platform::full_fence(); }

  // Keeps the compiler from moving accesses across this point; it is free at run time.
  static void compiler_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }

  // Copies payload between private and shared memory; the header word publishes and acquires it.
  BATON_INLINE static void store_payload(void* shared, const void* source, std::size_t bytes) {
    std::memcpy(shared, source, bytes);
  }
  BATON_INLINE static void load_payload(void* target, const void* shared, std::size_t bytes) {
    std::memcpy(target, shared, bytes);
  }
};

}  // namespace baton::lockfree
