#include "api/point_to_point.hpp"
#include "api/packing.hpp"
#include "datatype/pack.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"

#include <cstdlib>

#include "base/status_fields.hpp"
#include "collective/check/deadlock.hpp"
#include "message/core/loss.hpp"
#include "message/core/wait.hpp"

namespace baton::api {

namespace {

// Fills the status of a receive or probe from MPI_PROC_NULL.
void fill_null_status(MPI_Status* status) {
  if (!status) return;
  set_status_empty(*status);
  status->MPI_SOURCE = MPI_PROC_NULL;
}

// Gives a handle to a message that was taken out of matching.
Error publish(message::UnexpectedMessage& unexpected, MPI_Message* message) {
  MPI_Message handle = message::messages.add(&unexpected);
  if (!handle) return fail(MPI_ERR_NO_MEM, "no memory for a message handle");
  *message = handle;
  return MPI_SUCCESS;
}

// Takes the message behind a handle, which becomes MPI_MESSAGE_NULL.
Error take(MPI_Message* message, message::UnexpectedMessage** unexpected) {
  *unexpected = message::messages.remove(*message);
  if (!*unexpected)
    return fail(
        MPI_ERR_REQUEST,
        "argument 4 (message): this is not a message that MPI_Mprobe or MPI_Improbe returned "
        "and nobody has received; a matched message is received once");
  *message = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

bool from_nobody(MPI_Message* message) {
  if (*message != MPI_MESSAGE_NO_PROC) return false;
  *message = MPI_MESSAGE_NULL;
  return true;
}

void begin_null_receive(Request& request) {
  request.kind = message::RequestKind::receive;
  request.source = MPI_PROC_NULL;
  request.tag = MPI_ANY_TAG;
  message::complete(request, MPI_SUCCESS);
}

}  // namespace

Error sendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type,
               int destination, int send_tag, void* receive_buffer, std::int64_t receive_count,
               Datatype& receive_type, int source, int receive_tag, Communicator& comm,
               MPI_Status* status) {
  return message::exchange(comm.point_to_point, send_buffer, send_count, send_type, destination,
                           send_tag, receive_buffer, receive_count, receive_type, source,
                           receive_tag, status);
}

namespace {

// Copies the message as it is now, so that the receive may overwrite its buffer.
Error set_aside(const void* buffer, std::int64_t count, const Datatype& type, bool is_host,
                void** copy) {
  std::int64_t bytes = count * type.size;
  *copy = std::malloc(static_cast<std::size_t>(bytes) + 1);
  if (!*copy)
    return fail(MPI_ERR_NO_MEM, "no memory to set %lld bytes aside", static_cast<long long>(bytes));
  datatype::pack(type, buffer, 0, *copy, bytes, is_host);
  return MPI_SUCCESS;
}

}  // namespace

Error sendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int destination,
                       int send_tag, int source, int receive_tag, Communicator& comm,
                       MPI_Status* status) {
  void* copy = nullptr;
  if (Error error = set_aside(buffer, count, type, comm.point_to_point.is_host(), &copy))
    return error;
  Error error = sendrecv(copy, count * type.size, packed_type(), destination, send_tag, buffer,
                         count, type, source, receive_tag, comm, status);
  std::free(copy);
  return error;
}

Error isendrecv(const void* send_buffer, std::int64_t send_count, Datatype& send_type,
                int destination, int send_tag, void* receive_buffer, std::int64_t receive_count,
                Datatype& receive_type, int source, int receive_tag, Communicator& comm,
                MPI_Request* request) {
  return message::start_exchange(comm.point_to_point, send_buffer, send_count, send_type,
                                 destination, send_tag, receive_buffer, receive_count, receive_type,
                                 source, receive_tag, nullptr, request);
}

Error isendrecv_replace(void* buffer, std::int64_t count, Datatype& type, int destination,
                        int send_tag, int source, int receive_tag, Communicator& comm,
                        MPI_Request* request) {
  void* copy = nullptr;
  if (Error error = set_aside(buffer, count, type, comm.point_to_point.is_host(), &copy))
    return error;
  return message::start_exchange(comm.point_to_point, copy, count * type.size, packed_type(),
                                 destination, send_tag, buffer, count, type, source, receive_tag,
                                 copy, request);
}

namespace {

// Waits until `seen` says that the message is there.
template <class Seen>
void wait_for_message(const message::ProbeWait& wait, Seen&& seen) {
  collective::Watch watch;
  message::wait_until(
      [&] {
        if (seen()) return true;
        watch.look_at(wait);
        return false;
      },
      [&] {
        return message::WaitSubject{message::WaitSubject::Kind::probe, &wait};
      });
  watch.end();
}

}  // namespace

Error probe(int source, int tag, Communicator& comm, MPI_Status* status) {
  if (source == MPI_PROC_NULL) {
    fill_null_status(status);
    return MPI_SUCCESS;
  }
  Error error = MPI_SUCCESS;
  wait_for_message({&comm, source, tag}, [&] {
    return message::probe_once(comm.point_to_point, source, tag, status) ||
           (error = message::lost_source(comm.point_to_point, source));
  });
  return error;
}

Error iprobe(int source, int tag, Communicator& comm, int* flag, MPI_Status* status) {
  if (source == MPI_PROC_NULL) fill_null_status(status);
  *flag = source == MPI_PROC_NULL || message::probe_once(comm.point_to_point, source, tag, status);
  return *flag ? MPI_SUCCESS : message::lost_source(comm.point_to_point, source);
}

Error improbe(int source, int tag, Communicator& comm, int* flag, MPI_Message* message,
              MPI_Status* status) {
  *flag = 1;
  if (source == MPI_PROC_NULL) {
    fill_null_status(status);
    *message = MPI_MESSAGE_NO_PROC;
    return MPI_SUCCESS;
  }
  message::UnexpectedMessage* unexpected =
      message::take_once(comm.point_to_point, source, tag, status);
  *flag = unexpected != nullptr;
  return unexpected ? publish(*unexpected, message)
                    : message::lost_source(comm.point_to_point, source);
}

Error mprobe(int source, int tag, Communicator& comm, MPI_Message* message, MPI_Status* status) {
  int flag = 0;
  Error error = MPI_SUCCESS;
  wait_for_message({&comm, source, tag}, [&] {
    error = improbe(source, tag, comm, &flag, message, status);
    return flag || error;
  });
  return error;
}

Error mrecv(void* buffer, std::int64_t count, Datatype& type, MPI_Message* message,
            MPI_Status* status) {
  Request receive;
  if (from_nobody(message)) {
    begin_null_receive(receive);
  } else {
    message::UnexpectedMessage* unexpected = nullptr;
    if (Error error = take(message, &unexpected)) return error;
    message::receive_unexpected(*unexpected, buffer, count, type, receive);
    message::wait_for(receive);
  }
  message::fill_status(receive, status);
  bool alive = receive.owner && !(receive.usage && receive.usage->freed);
  if (receive.error && alive)
    last_explanation().target = &static_cast<Communicator*>(receive.owner)->errors;
  message::drop_usage(receive.usage);
  return receive.error;
}

Error imrecv(void* buffer, std::int64_t count, Datatype& type, MPI_Message* message,
             MPI_Request* handle) {
  Request* receive = message::new_request();
  if (!receive) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  if (from_nobody(message)) {
    begin_null_receive(*receive);
  } else {
    message::UnexpectedMessage* unexpected = nullptr;
    if (Error error = take(message, &unexpected)) {
      message::release_request(*receive);
      return error;
    }
    datatype::retain(type);
    message::receive_unexpected(*unexpected, buffer, count, type, *receive);
  }
  *handle = receive->handle;
  return MPI_SUCCESS;
}

}  // namespace baton::api
