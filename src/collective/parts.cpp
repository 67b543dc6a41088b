#include "collective/parts.hpp"
#include "datatype/pack.hpp"

#include <algorithm>

namespace baton::collective {

Error copy_local(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
                 std::int64_t to_count, Datatype& to_type) {
  std::int64_t bytes = std::min(from_count * from_type.size, to_count * to_type.size);
  datatype::copy(from_type, from, to_type, to, bytes);
  if (from_count * from_type.size <= to_count * to_type.size) return MPI_SUCCESS;
  return fail(MPI_ERR_TRUNCATE, "this rank's own block of %lld bytes does not fit into %lld bytes",
              static_cast<long long>(from_count * from_type.size),
              static_cast<long long>(to_count * to_type.size));
}

Error no_scratch() {
  return fail(MPI_ERR_NO_MEM, "no memory for a collective's intermediate results");
}

}  // namespace baton::collective
