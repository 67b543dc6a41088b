// Says where typed data lies, and moves it where that is foreign memory, on either side: run by
// run, each by a copy of its kind. pack.hpp moves; who asks where data lies is anyone that would
// touch it by its address.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"
#include "platform/memory_kind.hpp"

namespace baton::datatype {

// Returns the kind of the memory where typed data lies; null: host memory.
inline const BatonMemoryKind* kind_of(const Datatype& type, const void* buffer) {
  return platform::memory_kinds.find(static_cast<const char*>(buffer) + type.true_lower_bound);
}
// Returns whether elements at `buffer` are one run of bytes of host memory: then code that gets the
// address may touch them. `is_host`: the caller knows that it is host memory.
inline bool is_run(const Datatype& type, const void* buffer, bool is_host = false) {
  return type.contiguous && (is_host || kind_of(type, buffer) == nullptr);
}

// Moves the packed bytes [position, position + bytes) of elements at `place` to or from `packed`.
// Returns false, with nothing done, where both sides are host memory.
BATON_COLD bool move_foreign(const Datatype& type, char* place, std::int64_t position, char* packed,
                             std::int64_t bytes, bool packs);

}  // namespace baton::datatype
