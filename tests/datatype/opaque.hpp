// Foreign memory for unit tests: at its addresses nobody may read or write; the copies of its kind
// do so at other addresses. One at a time.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "platform/memory_kind.hpp"

namespace baton::datatype {

class Opaque {
 public:
  static constexpr std::size_t size = 1 << 20;

  Opaque() {
    constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS;
    memory_ = static_cast<char*>(::mmap(nullptr, size, PROT_NONE, flags, -1, 0));
    view_ = static_cast<char*>(::mmap(nullptr, size, PROT_READ | PROT_WRITE, flags, -1, 0));
    copies = 0;
    platform::memory_kinds.use(&kind);
  }
  ~Opaque() {
    platform::memory_kinds.use(nullptr);
    ::munmap(memory_, size);
    ::munmap(view_, size);
  }
  Opaque(const Opaque&) = delete;
  Opaque& operator=(const Opaque&) = delete;
  char* memory() { return memory_; }
  // Where the same bytes can be looked at.
  char* view() { return view_; }

  static inline int copies = 0;

 private:
  static inline char *memory_ = nullptr, *view_ = nullptr;

  static bool holds(const void* address) {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(memory_) <
           size;
  }
  static char* seen(const void* address) {
    auto* place = static_cast<char*>(const_cast<void*>(address));
    return holds(address) ? view_ + (place - memory_) : place;
  }
  static int contains(const void* address) { return holds(address); }
  static const char* copy(void* to, const void* from, std::size_t bytes) {
    ++copies;
    std::memcpy(seen(to), seen(from), bytes);
    return nullptr;
  }
  static constexpr BatonMemoryKind kind{baton_memory_kind_version, "opaque", contains, copy};
};

}  // namespace baton::datatype
