// Sending, receiving and probing on a context. Arguments were checked above; ranks are valid or
// MPI_PROC_NULL, tags valid or wildcards, counts not negative. Called by api/, collective/ and the
// agreements of world/. Errors: MPI_ERR_TRUNCATE, MPI_ERR_NO_MEM, explained.
#pragma once

#include "message/core/context.hpp"
#include "message/core/request.hpp"

namespace baton::message {

// Blocking. Budget of a short message to a known peer: no system call, no read-modify-write, no
// allocation, one shared line written, one read.
Error send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
           std::int32_t destination, std::int32_t tag);
Error send_synchronous(const Context& context, const void* buffer, std::int64_t count,
                       Datatype& type, std::int32_t destination, std::int32_t tag);
// `status` may be null (MPI_STATUS_IGNORE).
Error receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
              std::int32_t source, std::int32_t tag, MPI_Status* status);

// Sends and receives at once, each side with its tag. The first error; `status` is the receive's.
Error exchange(const Context& context, const void* out, std::int64_t out_count, Datatype& out_type,
               std::int32_t destination, std::int32_t out_tag, void* in, std::int64_t in_count,
               Datatype& in_type, std::int32_t source, std::int32_t in_tag, MPI_Status* status);

// Nonblocking. `*handle` is complete already where nothing is left to do.
Error start_send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
                 std::int32_t destination, std::int32_t tag, bool synchronous, MPI_Request* handle);
Error start_receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
                    std::int32_t source, std::int32_t tag, MPI_Request* handle);

// These begin a send or receive on a request of the caller's, who keeps it and the type alive until
// it is complete. What fails later is the request's error.
void begin_send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
                std::int32_t destination, std::int32_t tag, bool synchronous, Request& request);
void begin_receive(const Context& context, void* buffer, std::int64_t count, Datatype& type,
                   std::int32_t source, std::int32_t tag, Request& request);

// Persistent forms: an inactive request that start_again starts. The context outlives it.
enum class SendMode : std::uint8_t { standard, synchronous, buffered };
Error make_persistent_send(const Context& context, const void* buffer, std::int64_t count,
                           Datatype& type, std::int32_t destination, std::int32_t tag,
                           SendMode mode, MPI_Request* handle);
Error make_persistent_receive(const Context& context, void* buffer, std::int64_t count,
                              Datatype& type, std::int32_t source, std::int32_t tag,
                              MPI_Request* handle);
// Starts an inactive persistent request.
inline Error start_again(Request& request) {
  return request.recipe->start(request);
}

// A send and a receive as one request. `staged` (or null) is the send's buffer, freed at the end.
Error start_exchange(const Context& context, const void* out, std::int64_t out_count,
                     Datatype& out_type, std::int32_t destination, std::int32_t out_tag, void* in,
                     std::int64_t in_count, Datatype& in_type, std::int32_t source,
                     std::int32_t in_tag, void* staged, MPI_Request* handle);

// Returns whether a matching message is there; makes progress once. Fills the status.
bool probe_once(const Context& context, std::int32_t source, std::int32_t tag, MPI_Status* status);
// Takes a matching message out of matching, for good; makes progress once. The caller receives it
// with receive_unexpected, which hands the use of the communicator on to the request.
UnexpectedMessage* take_once(const Context& context, std::int32_t source, std::int32_t tag,
                             MPI_Status* status);
// Receives a taken message into the caller's request, as begin_receive does.
void receive_unexpected(UnexpectedMessage& unexpected, void* buffer, std::int64_t count,
                        Datatype& type, Request& request);

// Cancels a receive that nothing has matched, or a send that nobody has taken (cancel.cpp);
// otherwise nothing. Local, as MPI 5.0, "Cancel" wants it.
void cancel(Request& request);

}  // namespace baton::message
