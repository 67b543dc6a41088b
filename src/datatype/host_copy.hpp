// A copy in host memory of typed data that lies in foreign memory, for code that must touch the
// data where it lies: reductions, conversions, the algorithms of collectives. Every byte of data
// has the same distance to the copy's address as to the program's, so that type and displacements
// stay; the gaps have no memory of their own in the foreign buffer and are never copied.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"
#include "platform/memory_kind.hpp"

namespace baton::datatype {

// The bytes that `count` elements at `place` span, gaps included; addresses of the program.
struct Span {
  std::intptr_t first = 0;
  std::intptr_t end = 0;
  bool is_empty() const { return first == end; }
  // Returns how much memory a copy takes, wherever that lies.
  std::size_t copy_bytes() const { return static_cast<std::size_t>(end - first + 2 * alignment); }
  // Returns how much further a copy in `memory` lies. Addresses stay aligned: operations rely on
  // that of their elements.
  std::ptrdiff_t shift_to(const void* memory) const {
    const std::intptr_t aligned =
        (reinterpret_cast<std::intptr_t>(memory) + alignment - 1) & -alignment;
    return aligned + (first & (alignment - 1)) - first;
  }
  // Extends it by another one.
  void include(const Span& other);

 private:
  static constexpr std::intptr_t alignment = 64;
};
Span span_of(const Datatype& type, const void* place, std::int64_t count);

// These copy the data of `count` elements between `place`, in memory of the kind, and the same
// place `shift` bytes further, in host memory.
void copy_to_host(const BatonMemoryKind& kind, const Datatype& type, void* place,
                  std::int64_t count, std::ptrdiff_t shift);
void copy_from_host(const BatonMemoryKind& kind, const Datatype& type, void* place,
                    std::int64_t count, std::ptrdiff_t shift);

// Such a copy that lives as long as this object, where the data needs one; else the data itself.
class HostCopy {
 public:
  // `filled`: the data is copied now. Where there is no memory `has_memory` is false.
  HostCopy(const Datatype& type, const void* place, std::int64_t count, bool filled);
  ~HostCopy();
  HostCopy(const HostCopy&) = delete;
  HostCopy& operator=(const HostCopy&) = delete;
  bool has_memory() const { return memory_ != nullptr || kind_ == nullptr; }
  // Returns the address that stands for the program's.
  void* address() const { return static_cast<char*>(place_) + shift_; }
  // Copies the data to where the program has it.
  void bring_back();

 private:
  const Datatype& type_;
  void* place_;
  std::int64_t count_;
  const BatonMemoryKind* kind_;  // null: host memory
  char* memory_ = nullptr;
  std::ptrdiff_t shift_ = 0;
};

}  // namespace baton::datatype
