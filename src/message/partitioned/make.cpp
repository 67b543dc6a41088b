// Making, starting and freeing partitioned requests.

#include <cstdlib>
#include <new>

#include "base/failure_class.hpp"
#include "datatype/foreign.hpp"
#include "message/core/lead.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/partitioned/side.hpp"

namespace baton::message::partitioned {

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a partitioned request");
}

// The request is freed, or its making has failed.
void recycle(Request& request) {
  Side& side = side_of(request);
  end_meeting(side);
  drop_usage(side.context.usage);
  retire(side);
  // Its type and recipe are gone already; the pool takes the rest.
  request.recycle = nullptr;
  request.datatype = nullptr;
  release_request(request);
}

Error restart(Request& request) {
  Side& side = side_of(request);
  request.inactive = false;
  request.ending = 0;
  request.error = MPI_SUCCESS;
  ++side.iteration;
  side.failed = MPI_SUCCESS;
  side.done = side.look = 0;
  watch(request);
  if (!side.sends && meet_peer(side)) {
    side.opened = side.iteration;
    open_receive(side);
  }
  add_active(side);
  return MPI_SUCCESS;
}

bool has_space(const Arguments& arguments, std::int64_t* partition_bytes) {
  std::int64_t bytes;
  return !__builtin_mul_overflow(arguments.count, arguments.type->size, partition_bytes) &&
         !__builtin_mul_overflow(*partition_bytes, arguments.partitions, &bytes) &&
         !__builtin_mul_overflow(arguments.count, arguments.type->extent, &bytes) &&
         !__builtin_mul_overflow(bytes, arguments.partitions, &bytes);
}

Side* make_side(const Context& context, const Arguments& arguments, bool sends) {
  auto* side = new (std::nothrow) Side;
  if (!side) return nullptr;
  side->arguments = arguments;
  side->sends = sends;
  side->is_run = datatype::is_run(*arguments.type, arguments.buffer, context.is_host());
  side->context = context;
  side->context.send_id = plane_id(context.send_id);
  side->context.receive_id = plane_id(context.receive_id);
  side->context.queue = queue_for(side->context.receive_id);
  if (sends) {
    // So that threads that mark neighboring partitions write different cache lines.
    constexpr std::int32_t apart_max = 1024;  // guess
    side->mark_step =
        arguments.partitions <= apart_max ? cache_line_bytes / sizeof(*side->marks) : 1;
    const auto marks = static_cast<std::size_t>(arguments.partitions) * side->mark_step;
    side->marks = static_cast<std::uint64_t*>(std::calloc(marks ? marks : 1, sizeof(*side->marks)));
  }
  if (side->context.queue && (side->marks || !sends)) return side;
  abandon(*side);
  return nullptr;
}

// Gives the program the request.
void show(Side& side, Request& request, Recipe* recipe) {
  side.visible = &request;
  request.kind = side.sends ? RequestKind::partitioned_send : RequestKind::partitioned_receive;
  request.stage = Stage::queued;
  request.state = &side;
  request.recycle = recycle;
  request.advance = advance_alone;
  request.recipe = recipe;
  request.inactive = true;
  request.source = side.arguments.rank;
  request.tag = side.to_nobody() ? MPI_ANY_TAG : side.arguments.tag;
  request.bytes = side.to_nobody() ? 0 : side.total_bytes();
  request.datatype = side.arguments.type;
  request.owner = side.context.owner;
  if (!side.to_nobody()) request.process = side.context.process(side.arguments.rank);
  datatype::retain(*side.arguments.type);
  hold(request, side.context);
  // The side needs the communicator until its receive is taken back, which is after the request has
  // let go.
  if (side.context.usage) platform::add_shared(side.context.usage->uses, 1);
}

Error make(const Context& context, const Arguments& arguments, bool sends, MPI_Request* handle) {
  std::int64_t partition_bytes;
  if (!has_space(arguments, &partition_bytes))
    return fail(MPI_ERR_COUNT,
                "%d partitions of %lld elements of %lld bytes are more bytes than 63 bits can "
                "count",
                arguments.partitions, static_cast<long long>(arguments.count),
                static_cast<long long>(arguments.type->size));
  sweep_retired();
  Side* side = make_side(context, arguments, sends);
  if (!side) return no_memory();
  side->partition_bytes = partition_bytes;
  auto* recipe = static_cast<Recipe*>(std::malloc(sizeof(Recipe)));
  Request* request = recipe ? new_request() : nullptr;
  if (!request) {
    std::free(recipe);
    abandon(*side);
    return no_memory();
  }
  *recipe = {restart, nullptr, arguments.count, arguments.rank, arguments.tag, false};
  show(*side, *request, recipe);
  if (side->to_nobody())
    meet_nobody(*side);
  else
    begin_to_meet(*side);
  *handle = request->handle;
  return MPI_SUCCESS;
}

}  // namespace

Error make_send(const Context& context, const Arguments& arguments, MPI_Request* handle) {
  return make(context, arguments, true, handle);
}

Error make_receive(const Context& context, const Arguments& arguments, MPI_Request* handle) {
  return make(context, arguments, false, handle);
}

std::int32_t partitions_of(const Request& request) {
  return side_of(request).arguments.partitions;
}

void explain_again(const Request& request) {
  if (!is_partitioned(request)) return;
  const Side& side = side_of(request);
  if (side.error)
    (void)fail(side.error, "%s", side.why);
  else if (request.error == error_process_failed)
    (void)fail(request.error, "the sender of this partitioned message has died");
  else if (side.way == Way::direct)
    (void)fail(request.error,
               "the kernel does not let this rank read the sender's buffer any more; keep the "
               "buffers of both sides until their requests are freed");
}

}  // namespace baton::message::partitioned
