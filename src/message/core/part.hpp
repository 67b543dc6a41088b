// Room in an object of this layer for what one protocol keeps there: only the protocol knows the
// type. Zero at first. Used by requests and unexpected messages.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace baton::message {

inline constexpr std::size_t part_alignment = alignof(void*);

template <std::size_t bytes>
class Part {
 public:
  // The same type each time, between two calls of `clear`.
  template <class Content>
  Content& as() {
    static_assert(sizeof(Content) <= bytes && alignof(Content) <= part_alignment);
    static_assert(std::is_trivially_copyable_v<Content>);
    return *std::launder(reinterpret_cast<Content*>(memory_));
  }
  template <class Content>
  const Content& as() const {
    return const_cast<Part&>(*this).as<Content>();
  }
  void clear() { std::memset(memory_, 0, bytes); }

 private:
  alignas(part_alignment) std::byte memory_[bytes] = {};
};

}  // namespace baton::message
