// These are the bodies of the procedures that pack data into the program's own buffers (MPI 5.0,
// "Pack and Unpack" and "Canonical MPI_PACK and MPI_UNPACK"). Sizes and positions are bytes.
// Errors: data that would go beyond outsize, or be read beyond insize, is MPI_ERR_TRUNCATE (it is
// the class of data that does not fit its space) and neither buffer nor position is touched; a
// position outside the buffer or another datarep than "external32" is MPI_ERR_ARG; a null buffer
// MPI_ERR_BUFFER; sizes beyond 64 bits MPI_ERR_COUNT.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"
#include "world/communicator.hpp"

namespace baton::api {

inline Datatype& packed_type() {
  return *datatype::datatypes.find(MPI_PACKED);
}

Error pack(const void* in, std::int64_t count, Datatype& type, void* out, std::int64_t out_size,
           std::int64_t* position, Communicator& comm);
Error unpack(const void* in, std::int64_t in_size, std::int64_t* position, void* out,
             std::int64_t count, Datatype& type, Communicator& comm);
Error pack_size(std::int64_t count, Datatype& type, Communicator& comm, std::int64_t* size);

Error pack_external(const char* representation, const void* in, std::int64_t count, Datatype& type,
                    void* out, std::int64_t out_size, std::int64_t* position);
Error unpack_external(const char* representation, const void* in, std::int64_t in_size,
                      std::int64_t* position, void* out, std::int64_t count, Datatype& type);
Error pack_external_size(const char* representation, std::int64_t count, Datatype& type,
                         std::int64_t* size);

}  // namespace baton::api
