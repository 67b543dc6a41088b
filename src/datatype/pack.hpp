// This moves typed data: it packs and unpacks from any byte to any other, and walks the shape as
// far as needed. Every protocol that moves typed data uses it. Either side may lie in foreign
// memory (platform/memory_kind.hpp), which is asked for unless the caller knows that both are host
// memory: `is_host`. There are no errors; callers have checked.
#pragma once

#include <cstdint>

#include "datatype/foreign.hpp"
#include "datatype/shape.hpp"

namespace baton::datatype {

// Chooses the walks of a level of vector instructions (platform/cpu.hpp). It is called at start.
void choose_walks(int level);

// These copy the packed bytes [position, position + bytes) of elements at `buffer`, which follow
// each other in steps of the type's extent, to or from `packed`.
void pack(const Datatype& type, const void* buffer, std::int64_t position, void* packed,
          std::int64_t bytes, bool is_host = false);
void unpack(const Datatype& type, void* buffer, std::int64_t position, const void* packed,
            std::int64_t bytes, bool is_host = false);

// Copies the first `bytes` of packed data from one typed buffer to another.
void copy(const Datatype& from_type, const void* from, const Datatype& to_type, void* to,
          std::int64_t bytes, bool is_host = false);

// These do so for one shape laid over `origin`.
void pack_shape(const Shape* shape, const char* origin, std::int64_t position, char* packed,
                std::int64_t bytes);
void unpack_shape(const Shape* shape, char* origin, std::int64_t position, const char* packed,
                  std::int64_t bytes);

}  // namespace baton::datatype
