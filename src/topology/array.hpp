// Scratch arrays of plain data whose memory may be refused: null then. Freed with their owner.
#pragma once

#include <cstdint>
#include <memory>
#include <new>

namespace baton::topology {

template <class T>
using Array = std::unique_ptr<T[]>;

// All elements are zero; at least one, so that null always means no memory.
template <class T>
Array<T> make_array(std::int64_t count) {
  return Array<T>(new (std::nothrow) T[static_cast<std::size_t>(count > 0 ? count : 1)]());
}

}  // namespace baton::topology
