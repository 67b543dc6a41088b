// Nonblocking accesses of one rank: short ones are done at once, long ones in the background.
#include "datatype/datatype.hpp"
#include "file/access.hpp"
#include "file/background.hpp"
#include "message/core/requests.hpp"

namespace baton::file {

namespace {

// Starting an access in the background takes longer than so many bytes into the kernel's cache;
// guess.
constexpr std::int64_t written_at_once_bytes_max = 64 << 10;

}  // namespace

Error start_access(File& file, const Access& call, MPI_Request* handle) {
  std::int64_t bytes, moved = 0;
  if (Error error = check_access(file, call, &bytes)) return error;
  Placed placed;
  if (Error error = place(file, call, bytes, true, &placed)) return error;
  message::Request* request = message::new_request();
  if (!request) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  tell_begun(file, call, false, bytes, EventPlace::inside);
  request->kind = message::RequestKind::schedule;
  request->stage = message::Stage::queued;
  request->owner = file.comm;
  *handle = request->handle;
  const bool is_short = bytes == 0 || (call.writes && bytes <= written_at_once_bytes_max);
  if (!is_short) {
    datatype::retain(*call.type);
    request->datatype = call.type;
    if (start_in_background(file, call, placed, *request)) return MPI_SUCCESS;
  }
  const Error error = note_outcome(file, call, carry_out(file, call, placed, &moved));
  request->bytes = moved;
  count_call(file, call, false, moved);
  message::complete(*request, error);
  return MPI_SUCCESS;
}

}  // namespace baton::file
