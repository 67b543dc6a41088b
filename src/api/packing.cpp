#include "api/packing.hpp"

#include <cstring>

#include "datatype/external32.hpp"
#include "datatype/host_copy.hpp"
#include "datatype/pack.hpp"

namespace baton::api {

namespace {

Error size_of_all(std::int64_t count, std::int64_t size, std::int64_t* bytes) {
  if (!__builtin_mul_overflow(count, size, bytes)) return MPI_SUCCESS;
  return fail(MPI_ERR_COUNT, "%lld elements of %lld bytes are beyond 64 bits",
              static_cast<long long>(count), static_cast<long long>(size));
}

// Checks whether `bytes` may be put into or taken out of the packed buffer at `position`.
Error check_space(const char* buffer_name, const void* packed, std::int64_t space,
                  std::int64_t position, std::int64_t bytes) {
  if (space < 0)
    return fail(MPI_ERR_ARG, "the size of %s is %lld; it must be at least 0", buffer_name,
                static_cast<long long>(space));
  if (position < 0 || position > space)
    return fail(MPI_ERR_ARG, "argument position: %lld is not within the %lld bytes of %s",
                static_cast<long long>(position), static_cast<long long>(space), buffer_name);
  if (bytes > space - position)
    return fail(MPI_ERR_TRUNCATE,
                "%lld bytes at position %lld are more than the %lld of %s; MPI_Pack_size tells "
                "what is needed",
                static_cast<long long>(bytes), static_cast<long long>(position),
                static_cast<long long>(space), buffer_name);
  if (bytes > 0 && (!packed || packed == MPI_IN_PLACE))
    return fail(MPI_ERR_BUFFER, "argument %s: it is no buffer but %s", buffer_name,
                packed ? "MPI_IN_PLACE" : "a null pointer");
  return MPI_SUCCESS;
}

Error check_representation(const char* representation) {
  if (representation && std::strcmp(representation, "external32") == 0) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument 1 (datarep) is \"%s\"; only \"external32\" is defined",
              representation ? representation : "");
}

Error no_memory_to_convert() {
  return fail(MPI_ERR_NO_MEM, "no memory for a copy of the data in host memory, to convert it");
}

}  // namespace

Error pack(const void* in, std::int64_t count, Datatype& type, void* out, std::int64_t out_size,
           std::int64_t* position, Communicator&) {
  std::int64_t bytes;
  if (Error error = size_of_all(count, type.size, &bytes)) return error;
  if (Error error = check_space("outbuf", out, out_size, *position, bytes)) return error;
  datatype::pack(type, in, 0, static_cast<char*>(out) + *position, bytes);
  *position += bytes;
  return MPI_SUCCESS;
}

Error unpack(const void* in, std::int64_t in_size, std::int64_t* position, void* out,
             std::int64_t count, Datatype& type, Communicator&) {
  std::int64_t bytes;
  if (Error error = size_of_all(count, type.size, &bytes)) return error;
  if (Error error = check_space("inbuf", in, in_size, *position, bytes)) return error;
  datatype::unpack(type, out, 0, static_cast<const char*>(in) + *position, bytes);
  *position += bytes;
  return MPI_SUCCESS;
}

Error pack_size(std::int64_t count, Datatype& type, Communicator&, std::int64_t* size) {
  return size_of_all(count, type.size, size);
}

Error pack_external(const char* representation, const void* in, std::int64_t count, Datatype& type,
                    void* out, std::int64_t out_size, std::int64_t* position) {
  if (Error error = check_representation(representation)) return error;
  // `type.size` is at least the external size, so this bounds both products.
  std::int64_t bytes;
  if (Error error = size_of_all(count, type.size, &bytes)) return error;
  bytes = count * datatype::external_size(type);
  if (Error error = check_space("outbuf", out, out_size, *position, bytes)) return error;
  const datatype::HostCopy data(type, in, count, true);
  datatype::HostCopy packed(packed_type(), static_cast<char*>(out) + *position, bytes, false);
  if (!data.has_memory() || !packed.has_memory()) return no_memory_to_convert();
  if (Error error = datatype::pack_external(type, count, data.address(),
                                            static_cast<char*>(packed.address())))
    return error;
  packed.bring_back();
  *position += bytes;
  return MPI_SUCCESS;
}

Error unpack_external(const char* representation, const void* in, std::int64_t in_size,
                      std::int64_t* position, void* out, std::int64_t count, Datatype& type) {
  if (Error error = check_representation(representation)) return error;
  std::int64_t bytes;
  if (Error error = size_of_all(count, type.size, &bytes)) return error;
  bytes = count * datatype::external_size(type);
  if (Error error = check_space("inbuf", in, in_size, *position, bytes)) return error;
  const datatype::HostCopy packed(packed_type(), static_cast<const char*>(in) + *position, bytes,
                                  true);
  datatype::HostCopy data(type, out, count, false);
  if (!data.has_memory() || !packed.has_memory()) return no_memory_to_convert();
  if (Error error = datatype::unpack_external(type, count, data.address(),
                                              static_cast<const char*>(packed.address())))
    return error;
  data.bring_back();
  *position += bytes;
  return MPI_SUCCESS;
}

Error pack_external_size(const char* representation, std::int64_t count, Datatype& type,
                         std::int64_t* size) {
  if (Error error = check_representation(representation)) return error;
  return size_of_all(count, datatype::external_size(type), size);
}

}  // namespace baton::api
