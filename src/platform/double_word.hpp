// A double word is sixteen bytes that are read, and compared and exchanged, atomically. Compilers
// call a library for them, which may take a lock of this process alone; so the instructions are
// written out here. Elements of windows use them. Invariant: a double word lies at a multiple of
// 16.
#pragma once

#include <cstdint>
#include <cstring>

namespace baton::platform {

struct alignas(16) DoubleWord {
  std::uint64_t low, high;
};
static_assert(sizeof(DoubleWord) == 16);

// Returns whether this CPU can do so. It must also promise that a load of 16 bytes is atomic, as
// Intel and AMD do where there is AVX. False on other architectures than x86-64.
bool has_double_words();

#ifdef __x86_64__
// Reads the double word. It acquires, as all loads of this architecture do.
inline DoubleWord load_double_word(const DoubleWord& word) {
  long long pair __attribute__((vector_size(16)));
  asm volatile("movdqa %1, %0" : "=x"(pair) : "m"(word) : "memory");
  DoubleWord value;
  std::memcpy(&value, &pair, sizeof value);
  return value;
}

// Writes `desired` if the word holds `expected`, and returns whether it did. `expected` gets the
// former value. It orders as a full fence does.
inline bool exchange_double_word(DoubleWord& word, DoubleWord& expected,
                                 const DoubleWord& desired) {
  bool done;
  asm volatile("lock cmpxchg16b %1"
               : "=@ccz"(done), "+m"(word), "+a"(expected.low), "+d"(expected.high)
               : "b"(desired.low), "c"(desired.high)
               : "memory");
  return done;
}
#else
// This is never called, since has_double_words() is false here.
inline DoubleWord load_double_word(const DoubleWord& word) {
  return word;
}
inline bool exchange_double_word(DoubleWord&, DoubleWord&, const DoubleWord&) {
  return true;
}
#endif

}  // namespace baton::platform
