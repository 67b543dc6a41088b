// Partitioned messages (MPI 5.0, "Partitioned Point-to-Point Communication"): persistent sends
// whose partitions leave one by one, as threads say that they are ready. api/ calls this; it has
// checked handles, ranks and tags. Errors are explained. Invariant: a thread that says "ready"
// takes no lock, and waits for nobody.
#pragma once

#include "message/core/context.hpp"
#include "message/core/request.hpp"

namespace baton::message::partitioned {

// One side's arguments: `count` elements a partition.
struct Arguments {
  void* buffer;
  std::int32_t partitions;
  std::int64_t count;
  Datatype* type;
  std::int32_t rank;  // destination or source, or MPI_PROC_NULL
  std::int32_t tag;
};

// Makes an inactive request; `context` is the communicator's of point-to-point messages. Local: the
// two sides meet later. Errors: MPI_ERR_COUNT, MPI_ERR_NO_MEM.
Error make_send(const Context& context, const Arguments& arguments, MPI_Request* handle);
Error make_receive(const Context& context, const Arguments& arguments, MPI_Request* handle);

inline bool is_partitioned(const Request& request) {
  return request.kind == RequestKind::partitioned_send ||
         request.kind == RequestKind::partitioned_receive;
}
std::int32_t partitions_of(const Request& request);

// Marks the partitions low to high of an active send ready, and they go. Any threads at the same
// time. Error: MPI_ERR_ARG, one was marked before; those before it have gone.
Error mark_ready(Request& request, std::int32_t low, std::int32_t high);
// Returns whether a partition of an active receive is there; takes it in if it can.
bool look_for_arrival(Request& request, std::int32_t partition);

// Restores the explanation of a completed request's error. Nothing for other requests.
BATON_COLD void explain_again(const Request& request);
// Frees what is left of freed requests, when the engine stops.
void forget();

// The plane's id of a communicator, from the id of its point-to-point messages.
constexpr std::uint32_t plane_id(std::uint32_t point_to_point) {
  return point_to_point - point_to_point % plane_count +
         static_cast<std::uint32_t>(Plane::partitioned);
}

}  // namespace baton::message::partitioned
