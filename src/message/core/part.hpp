// Space in an object of this layer for what one protocol keeps there: only the protocol knows the
// type. Used by requests and unexpected messages, which leave it as it is: short messages need
// none.
#pragma once

#include <cstddef>
#include <new>
#include <type_traits>

namespace baton::message {

inline constexpr std::size_t part_alignment = alignof(void*);

template <std::size_t bytes>
class Part {
 public:
  // Makes it zero, as what a protocol begins with.
  template <class Content>
  Content& begin() {
    check<Content>();
    return *new (memory_) Content{};
  }
  // The content that was begun.
  template <class Content>
  Content& as() {
    check<Content>();
    return *std::launder(reinterpret_cast<Content*>(memory_));
  }
  template <class Content>
  const Content& as() const {
    return const_cast<Part&>(*this).as<Content>();
  }

 private:
  template <class Content>
  static void check() {
    static_assert(sizeof(Content) <= bytes && alignof(Content) <= part_alignment);
    static_assert(std::is_trivially_copyable_v<Content>);
  }
  alignas(part_alignment) std::byte memory_[bytes];
};

}  // namespace baton::message
