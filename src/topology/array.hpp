// These are scratch arrays of plain data. One whose memory is refused is null. They are freed with
// their owner.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace baton::topology {

template <class T>
using Array = std::unique_ptr<T[]>;

// Allocates elements that are all zero; at least one, so that null always means no memory.
template <class T>
Array<T> make_array(std::int64_t count) {
  return Array<T>(new (std::nothrow) T[static_cast<std::size_t>(count > 0 ? count : 1)]());
}

}  // namespace baton::topology
