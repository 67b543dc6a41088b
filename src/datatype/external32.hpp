// The data representation "external32" (MPI 5.0, "External Data Representation: external32"): big
// endian, every type of one size everywhere, elements without gaps. Packing goes over the basic
// elements in runs, through a buffer that stays in cache; nothing is allocated. Used by layer 10.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "datatype/datatype.hpp"

namespace baton::datatype {

// Bytes of one element of `type` in external32; never more than its packed size here.
std::int64_t external_size(const Datatype& type);

// `count` elements at `buffer` to or from `packed`, which has room for external_size of each. A
// number that the other side's representation cannot hold (a long beyond 32 bits, a wide character
// beyond 16): MPI_ERR_CONVERSION; what was converted before it stays.
Error pack_external(const Datatype& type, std::int64_t count, const void* buffer, void* packed);
Error unpack_external(const Datatype& type, std::int64_t count, void* buffer, const void* packed);

}  // namespace baton::datatype
