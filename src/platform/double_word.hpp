// Sixteen bytes that are read, and compared and exchanged, as one. Compilers call a library for
// them, which may take a lock of this process alone; so the instructions are written out here. Used
// for elements of windows. Invariant: they lie at a multiple of 16.
#pragma once

#include <cstdint>
#include <cstring>

namespace baton::platform {

struct alignas(16) DoubleWord {
  std::uint64_t low, high;
};
static_assert(sizeof(DoubleWord) == 16);

// Whether this CPU can. It must also promise that a load of 16 bytes is one, as Intel and AMD do
// where there is AVX. False on other architectures than x86-64.
bool has_double_words();

#ifdef __x86_64__
// Acquires, as all loads of this architecture do.
inline DoubleWord load_double_word(const DoubleWord& word) {
  long long pair __attribute__((vector_size(16)));
  asm volatile("movdqa %1, %0" : "=x"(pair) : "m"(word) : "memory");
  DoubleWord value;
  std::memcpy(&value, &pair, sizeof value);
  return value;
}

// Writes `desired` if `expected` is there; whether it was. What was there, in `expected`.
// Orders as a full fence does.
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
// Never called: there are none.
inline DoubleWord load_double_word(const DoubleWord& word) {
  return word;
}
inline bool exchange_double_word(DoubleWord&, DoubleWord&, const DoubleWord&) {
  return true;
}
#endif

}  // namespace baton::platform
