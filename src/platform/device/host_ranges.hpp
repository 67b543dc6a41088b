// Memory that is the host's for certain, so that nobody need be asked: the stack of the calling
// thread and of the first one, the program's own data, the heap below the program break, and what
// was noted. A range is here only if nothing else can take its place while this process lives, or,
// of a thread's stack, while the thread does. So there is no list that could be out of date: memory
// that the program can unmap (long blocks of malloc, memory of libraries) is not here, since a
// driver's memory may lie there later. Invariant: noted ranges are never unmapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace baton::platform {

class HostRanges {
 public:
  // Finds the ranges of the process. It is called before `contain` is.
  void find();
  // Notes memory of the library's own that stays mapped until `forget_noted`. One thread at a time;
  // others may ask meanwhile.
  void note(const void* start, std::size_t bytes);
  // No other thread asks.
  void forget_noted() { noted_count_.store(0, std::memory_order_relaxed); }
  // Returns whether an address is in one of them.
  bool contain(const void* address) const;

 private:
  struct Range {
    std::uintptr_t start = 0;
    std::uintptr_t end = 0;
    bool contains(std::uintptr_t address) const { return address - start < end - start; }
  };
  static Range find_own_stack();

  Range program_;  // its data
  Range first_stack_;
  std::uintptr_t heap_start_ = ~std::uintptr_t{0};
  static constexpr int noted_max = 8;
  Range noted_[noted_max];
  std::atomic<int> noted_count_{0};
};

}  // namespace baton::platform
