// These are the bodies of buffered sends and of the buffers they use.
#pragma once

#include <cstdint>

#include "message/core/send_buffer.hpp"
#include "world/communicator.hpp"

namespace baton::api {

Error bsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
            Communicator& comm);
Error ibsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
             Communicator& comm, MPI_Request* request);
Error bsend_init(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                 Communicator& comm, MPI_Request* request);

inline Error buffer_attach(void* memory, std::int64_t bytes) {
  return message::process_buffer.attach(memory, bytes);
}
// `address` points to the pointer to set.
Error buffer_detach(void* address, std::int64_t* bytes);
inline Error buffer_flush() {
  return message::process_buffer.flush();
}
inline Error buffer_iflush(MPI_Request* request) {
  return message::process_buffer.start_flush(nullptr, request);
}
inline Error comm_attach_buffer(Communicator& comm, void* memory, std::int64_t bytes) {
  return comm.buffer.attach(memory, bytes);
}
Error comm_detach_buffer(Communicator& comm, void* address, std::int64_t* bytes);
inline Error comm_flush_buffer(Communicator& comm) {
  return comm.buffer.flush();
}
inline Error comm_iflush_buffer(Communicator& comm, MPI_Request* request) {
  return comm.buffer.start_flush(&comm.point_to_point, request);
}

}  // namespace baton::api
