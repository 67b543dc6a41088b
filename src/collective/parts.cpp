#include "collective/parts.hpp"

#include <algorithm>

namespace baton::collective {

Error exchange(const message::Context& context, const void* out, std::int64_t out_count,
               Datatype& out_type, int destination, void* in, std::int64_t in_count,
               Datatype& in_type, int source, std::int32_t tag) {
  Request receive;
  message::begin_receive(context, in, in_count, in_type, source, tag, receive);
  Error error = message::send(context, out, out_count, out_type, destination, tag);
  message::wait_for(receive);
  return error ? error : receive.error;
}

Error copy_local(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
                 std::int64_t to_count, Datatype& to_type) {
  std::int64_t bytes = std::min(from_count * from_type.size, to_count * to_type.size);
  if (from_type.contiguous) {
    datatype::unpack(to_type, to, 0, from, bytes);
  } else if (to_type.contiguous) {
    datatype::pack(from_type, from, 0, to, bytes);
  } else {
    constexpr std::int64_t bounce_bytes = 4096;
    char bounce[bounce_bytes];
    for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
      std::int64_t piece = std::min(bounce_bytes, bytes - done);
      datatype::pack(from_type, from, done, bounce, piece);
      datatype::unpack(to_type, to, done, bounce, piece);
    }
  }
  if (from_count * from_type.size <= to_count * to_type.size) return MPI_SUCCESS;
  return fail(MPI_ERR_TRUNCATE, "this rank's own block of %lld bytes does not fit into %lld bytes",
              static_cast<long long>(from_count * from_type.size),
              static_cast<long long>(to_count * to_type.size));
}

Error no_scratch() {
  return fail(MPI_ERR_NO_MEM, "no memory for a collective's intermediate results");
}

}  // namespace baton::collective
