// These are the bodies of point-to-point communication: sends, receives, probes; completion in
// request.cpp.
#pragma once

#include <cstdint>

#include "message/core/point_to_point.hpp"
#include "world/communicator.hpp"

namespace baton::api {

inline Error send(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                  Communicator& comm) {
  return message::send(comm.point_to_point, buffer, count, type, destination, tag);
}
// A ready send may rely on its posted receive; Baton gains nothing from knowing it, so this is a
// standard send.
inline Error rsend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                   Communicator& comm) {
  return send(buffer, count, type, destination, tag, comm);
}
inline Error ssend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                   Communicator& comm) {
  return message::send_synchronous(comm.point_to_point, buffer, count, type, destination, tag);
}
inline Error recv(void* buffer, std::int64_t count, Datatype& type, int source, int tag,
                  Communicator& comm, MPI_Status* status) {
  return message::receive(comm.point_to_point, buffer, count, type, source, tag, status);
}

inline Error isend(const void* buffer, std::int64_t count, Datatype& type, int destination, int tag,
                   Communicator& comm, MPI_Request* request) {
  return message::start_send(comm.point_to_point, buffer, count, type, destination, tag, false,
                             request);
}
inline Error irsend(const void* buffer, std::int64_t count, Datatype& type, int destination,
                    int tag, Communicator& comm, MPI_Request* request) {
  return isend(buffer, count, type, destination, tag, comm, request);
}
inline Error issend(const void* buffer, std::int64_t count, Datatype& type, int destination,
                    int tag, Communicator& comm, MPI_Request* request) {
  return message::start_send(comm.point_to_point, buffer, count, type, destination, tag, true,
                             request);
}
inline Error irecv(void* buffer, std::int64_t count, Datatype& type, int source, int tag,
                   Communicator& comm, MPI_Request* request) {
  return message::start_receive(comm.point_to_point, buffer, count, type, source, tag, request);
}

Error sendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type,
               int destination, int send_tag, void* receive_buffer, std::int64_t receive_count,
               Datatype& receive_type, int source, int receive_tag, Communicator& comm,
               MPI_Status* status);

Error sendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int destination,
                       int send_tag, int source, int receive_tag, Communicator& comm,
                       MPI_Status* status);
Error isendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type,
                int destination, int send_tag, void* receive_buffer, std::int64_t receive_count,
                Datatype& receive_type, int source, int receive_tag, Communicator& comm,
                MPI_Request* request);
Error isendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int destination,
                        int send_tag, int source, int receive_tag, Communicator& comm,
                        MPI_Request* request);

inline Error send_init(const void* buffer, std::int64_t count, Datatype& type, int destination,
                       int tag, Communicator& comm, MPI_Request* request) {
  return message::make_persistent_send(comm.point_to_point, buffer, count, type, destination, tag,
                                       message::SendMode::standard, request);
}
inline Error rsend_init(const void* buffer, std::int64_t count, Datatype& type, int destination,
                        int tag, Communicator& comm, MPI_Request* request) {
  return send_init(buffer, count, type, destination, tag, comm, request);
}
inline Error ssend_init(const void* buffer, std::int64_t count, Datatype& type, int destination,
                        int tag, Communicator& comm, MPI_Request* request) {
  return message::make_persistent_send(comm.point_to_point, buffer, count, type, destination, tag,
                                       message::SendMode::synchronous, request);
}
inline Error recv_init(void* buffer, std::int64_t count, Datatype& type, int source, int tag,
                       Communicator& comm, MPI_Request* request) {
  return message::make_persistent_receive(comm.point_to_point, buffer, count, type, source, tag,
                                          request);
}
Error start(MPI_Request* request);
Error startall(int count, MPI_Request* requests);

Error probe(int source, int tag, Communicator& comm, MPI_Status* status);
Error iprobe(int source, int tag, Communicator& comm, int* flag, MPI_Status* status);
Error mprobe(int source, int tag, Communicator& comm, MPI_Message* message, MPI_Status* status);
Error improbe(int source, int tag, Communicator& comm, int* flag, MPI_Message* message,
              MPI_Status* status);
Error mrecv(void* buffer, std::int64_t count, Datatype& type, MPI_Message* message,
            MPI_Status* status);
Error imrecv(void* buffer, std::int64_t count, Datatype& type, MPI_Message* message,
             MPI_Request* request);

Error wait(MPI_Request* request, MPI_Status* status);
Error waitany(int count, MPI_Request* requests, int* index, MPI_Status* status);
Error waitall(int count, MPI_Request* requests, MPI_Status* statuses);
Error waitsome(int count, MPI_Request* requests, int* completed, int* indices,
               MPI_Status* statuses);
Error test(MPI_Request* request, int* flag, MPI_Status* status);
Error testany(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status);
Error testall(int count, MPI_Request* requests, int* flag, MPI_Status* statuses);
Error testsome(int count, MPI_Request* requests, int* completed, int* indices,
               MPI_Status* statuses);
Error request_free(MPI_Request* request);
Error request_get_status(MPI_Request request, int* flag, MPI_Status* status);
Error request_get_status_any(int count, const MPI_Request* requests, int* index, int* flag,
                             MPI_Status* status);
Error request_get_status_all(int count, const MPI_Request* requests, int* flag,
                             MPI_Status* statuses);
Error request_get_status_some(int count, const MPI_Request* requests, int* completed, int* indices,
                              MPI_Status* statuses);
Error cancel(MPI_Request* request);
Error grequest_start(MPI_Grequest_query_function* query, MPI_Grequest_free_function* free,
                     MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request);
Error grequest_complete(MPI_Request request);

}  // namespace baton::api
