#include "api/buffering.hpp"

#include "message/core/requests.hpp"

namespace baton::api {

namespace {

Error detach(message::SendBuffer& buffer, int argument, void* address, std::int64_t* bytes) {
  if (!address)
    return fail(MPI_ERR_ARG,
                "argument %d (buffer_addr) is a null pointer; pass the address of a pointer",
                argument);
  return buffer.detach(static_cast<void**>(address), bytes);
}

}  // namespace

Error buffer_detach(void* address, std::int64_t* bytes) {
  return detach(message::process_buffer, 1, address, bytes);
}

Error comm_detach_buffer(Communicator& comm, void* address, std::int64_t* bytes) {
  return detach(comm.buffer, 2, address, bytes);
}

Error bsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
            Communicator& comm) {
  return message::buffer_for(comm.point_to_point)
      .send(comm.point_to_point, buffer, count, type, destination, tag);
}

Error ibsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
             Communicator& comm, MPI_Request* request) {
  Error error = bsend(buffer, count, type, destination, tag, comm);
  // The send is complete once the data is copied: the rest concerns the buffer, not the request.
  if (!error) *request = message::completed_handle();
  return error;
}

Error bsend_init(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                 Communicator& comm, MPI_Request* request) {
  return message::make_persistent_send(comm.point_to_point, buffer, count, type, destination, tag,
                                       message::SendMode::buffered, request);
}

}  // namespace baton::api
