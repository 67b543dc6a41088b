#include "window/pair.hpp"

#include <cstring>

#include "datatype/pack.hpp"

namespace baton::window {

namespace {

// Computes what the change makes of a pair, without its gaps. `in` has the layout of memory.
void make_next(const Change& change, const Datatype& pair, const char* in, const char* before,
               char* after) {
  if (change.kind == Change::Kind::replace) {
    datatype::copy(pair, in, pair, after, pair.size);
    return;
  }
  // Kernels may write to gaps, so they get a copy.
  alignas(16) char changed[element_bytes_max];
  std::memcpy(changed, before, static_cast<std::size_t>(pair.extent));
  change.kernel(in, changed, 1);
  datatype::copy(pair, changed, pair, after, pair.size);
}

}  // namespace

void change_pair(const Change& change, const Datatype& pair, const char* in, char* there,
                 char* old) {
  alignas(16) char here[element_bytes_max] = {}, before[element_bytes_max] = {};
  datatype::copy(pair, there, pair, before, pair.size);
  if (old) datatype::pack(pair, before, 0, old, pair.size);
  if (change.kind == Change::Kind::nothing) return;
  datatype::unpack(pair, here, 0, in, pair.size);
  make_next(change, pair, here, before, there);
}

void change_pair_atomically(const Change& change, const Datatype& pair, const char* in, char* place,
                            char* old) {
  constexpr Change read{};
  alignas(16) char here[element_bytes_max] = {}, before[16], after[16], found[16];
  const auto bytes = static_cast<std::size_t>(pair.extent);
  change_atomically(read, pair.extent, nullptr, place, before, 1);
  if (change.kind != Change::Kind::nothing) {
    datatype::unpack(pair, here, 0, in, pair.size);
    for (;;) {
      std::memcpy(after, before, bytes);
      make_next(change, pair, here, before, after);
      compare_and_swap_atomically(pair.extent, before, after, place, found);
      if (std::memcmp(found, before, bytes) == 0) break;
      std::memcpy(before, found, bytes);
    }
  }
  if (old) datatype::pack(pair, before, 0, old, pair.size);
}

}  // namespace baton::window
