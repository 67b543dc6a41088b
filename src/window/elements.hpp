// What keeps the elements of accumulates whole (lockfree/element_guard.hpp), as one rank takes it
// at a target; and the changes by atomic instructions. Used by accumulates alone.
#pragma once

#include "datatype/operation.hpp"
#include "window/window.hpp"

namespace baton::window {

// Holds a target's elements while this rank changes some.
class ElementHold {
 public:
  // `elements` of them; `atomic`: each could be changed by an atomic instruction. Makes no progress
  // while it waits: this rank may be changing elements for others in its progress, and would wait
  // for itself. Nobody who holds the elements waits for messages.
  ElementHold(Window& window, Target& target, std::int64_t elements, bool atomic);
  ~ElementHold();
  ElementHold(const ElementHold&) = delete;
  ElementHold& operator=(const ElementHold&) = delete;

  // This rank can only reach these elements through the kernel, so it will want the lock again:
  // nobody changes them by atomic instructions any more. Only where `atomic` was false.
  void keep_locked() { lockfree::keep_locked(target_.row->guard); }

  // Each change must be one atomic instruction; else nobody else changes anything.
  bool is_atomic() const { return is_atomic_; }

 private:
  [[gnu::noinline]] void lock(bool lone);  // the quick way does not pay for its frame
  bool begin_atomically(std::int64_t elements);

  Window& window_;
  Target& target_;
  std::uint32_t number_ = 0;
  bool is_atomic_ = false;
  bool is_locked_ = false;
};

// A bit by number of bytes: 1, 2, 4, 8, and 16 where the CPU can.
extern const std::uint32_t atomic_sizes;

// Whether an element of so many bytes at such an address can be changed by an atomic instruction.
inline bool is_atomic_size(std::int64_t bytes) {
  return bytes <= 16 && (atomic_sizes >> bytes & 1) != 0;
}
inline bool is_atomic_place(const void* place, std::int64_t bytes) {
  return (reinterpret_cast<std::uintptr_t>(place) & static_cast<std::uintptr_t>(bytes - 1)) == 0;
}

// What is done to elements: a kernel, which for sums an instruction may replace, or one of the two
// operations that need none.
struct Change {
  enum class Kind : std::uint8_t { kernel, add, add_real, replace, nothing };
  Kind kind = Kind::nothing;
  datatype::Kernel kernel = nullptr;
};

// Changes `count` elements of `bytes` each, which lie one after another, by atomic instructions.
// `old` gets what was there before, or is null.
void change_atomically(const Change& change, std::int64_t bytes, const char* in, char* place,
                       char* old, std::int64_t count);
// The same by plain ones.
void change_plainly(const Change& change, std::int64_t bytes, const char* in, char* place,
                    char* old, std::int64_t count);
// Writes `desired` where `expected` is, all bytes being compared; what was there, in `old`.
void compare_and_swap_atomically(std::int64_t bytes, const void* expected, const void* desired,
                                 void* place, void* old);

}  // namespace baton::window
