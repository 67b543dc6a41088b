#include "api/buffering.hpp"

namespace baton::api {

Error bsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
            Communicator& comm) {
  // The communicator's own buffer goes before the process's.
  message::SendBuffer& kept = comm.buffer.attached() ? comm.buffer : message::process_buffer;
  return kept.send(comm.point_to_point, buffer, count, type, destination, tag);
}

Error ibsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
             Communicator& comm, MPI_Request* request) {
  Error error = bsend(buffer, count, type, destination, tag, comm);
  // Copied is done: what is left concerns the buffer, not the request.
  if (!error) *request = message::completed_send_handle();
  return error;
}

Error bsend_init(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                 Communicator& comm, MPI_Request* request) {
  return message::make_persistent_send(comm.point_to_point, buffer, count, type, destination, tag,
                                       message::SendMode::buffered, request);
}

}  // namespace baton::api
