// This converts to and from the data representation "external32" (MPI 5.0, "External Data
// Representation: external32"): big endian, every type of one size everywhere, elements without
// gaps. Packing goes over the basic elements in runs, through a buffer that stays in cache; nothing
// is allocated. Layer 10 uses it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "datatype/datatype.hpp"

namespace baton::datatype {

// Returns the bytes of one element of `type` in external32; never more than its packed size here.
std::int64_t external_size(const Datatype& type);

// These convert `count` elements at `buffer` to or from `packed`, which has space for external_size
// of each. MPI_ERR_CONVERSION: the other representation cannot hold a number (a long beyond 32
// bits, a wide character beyond 16); the elements before it have been converted.
Error pack_external(const Datatype& type, std::int64_t count, const void* buffer, void* packed);
Error unpack_external(const Datatype& type, std::int64_t count, void* buffer, const void* packed);
// Does so with the basic elements that lie whole in the first `available` bytes of `packed`, as at
// the end of a file. Sets `*taken` to the bytes that these have in `packed`, and `*filled` to those
// that they have here.
Error unpack_external_part(const Datatype& type, std::int64_t count, void* buffer,
                           const void* packed, std::int64_t available, std::int64_t* taken,
                           std::int64_t* filled);

}  // namespace baton::datatype
