// Nonblocking accesses of one rank.
#include "file/access.hpp"
#include "message/core/requests.hpp"

namespace baton::file {

Error start_access(File& file, const Access& call, MPI_Request* handle) {
  std::int64_t bytes, moved = 0;
  if (Error error = check_access(file, call, &bytes)) return error;
  Placed placed;
  if (Error error = place(file, call, bytes, true, &placed)) return error;
  message::Request* request = message::new_request();
  if (!request) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  request->kind = message::RequestKind::schedule;
  *handle = request->handle;
  const Error error = note_outcome(file, call, carry_out(file, call, placed, &moved));
  request->bytes = moved;
  message::complete(*request, error);
  return MPI_SUCCESS;
}

}  // namespace baton::file
