// Requests that are more than one plain operation: persistent ones, and a send and a receive in
// one.
#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"
#include "message/core/lead.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/requests.hpp"
#include "message/core/send_buffer.hpp"

namespace baton::message {

namespace {

const Context& context_of(const Request& request) {
  return *static_cast<const Context*>(request.recipe->context);
}

// The state that completion left behind must not leak into the next start.
void freshen(Request& request) {
  request.stage = Stage::fresh;
  request.inactive = false;
  request.ending = 0;
  request.cancelled = false;
  request.error = MPI_SUCCESS;
  request.position = 0;
}

Error restart_send(Request& request) {
  const Recipe& recipe = *request.recipe;
  freshen(request);
  begin_send(context_of(request), request.buffer, recipe.count, *request.datatype, recipe.rank,
             recipe.tag, recipe.synchronous, request);
  rouse_progress_thread();
  return MPI_SUCCESS;
}

Error restart_buffered(Request& request) {
  const Recipe& recipe = *request.recipe;
  const Context& context = context_of(request);
  freshen(request);
  Error error = buffer_for(context).send(context, request.buffer, recipe.count, *request.datatype,
                                         recipe.rank, recipe.tag);
  request.owner = context.owner;
  complete(request, error);
  return error;
}

Error restart_receive(Request& request) {
  const Recipe& recipe = *request.recipe;
  freshen(request);
  begin_receive(context_of(request), request.buffer, recipe.count, *request.datatype, recipe.rank,
                recipe.tag, request);
  rouse_progress_thread();
  return MPI_SUCCESS;
}

Error make_persistent(const Recipe& recipe, void* buffer, Datatype& type, RequestKind kind,
                      MPI_Request* handle) {
  auto* kept = static_cast<Recipe*>(std::malloc(sizeof(Recipe)));
  Request* request = kept ? new_request() : nullptr;
  if (!request) {
    std::free(kept);
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  *kept = recipe;
  request->kind = kind;
  request->recipe = kept;
  request->buffer = buffer;
  request->datatype = &type;
  request->inactive = true;
  request->owner = static_cast<const Context*>(recipe.context)->owner;
  datatype::retain(type);
  hold(*request, *static_cast<const Context*>(recipe.context));
  *handle = request->handle;
  return MPI_SUCCESS;
}

// A send and a receive that complete together; the visible request waits for both.
struct Exchange {
  Request send;
  Request receive;
  void* staged;
  Request* visible;
  Exchange* next;

  bool advance() const { return is_complete(send) && is_complete(receive); }
  void finish() {
    Request& whole = *visible;
    whole.kind = RequestKind::receive;
    whole.source = receive.source;
    whole.tag = receive.tag;
    whole.bytes = receive.bytes;
    const Error error = send.error ? send.error : receive.error;
    std::free(staged);
    datatype::release(*send.datatype);
    datatype::release(*receive.datatype);
    delete this;
    complete(whole, error);
  }
};
constinit ListSource<Exchange> exchanges;

}  // namespace

Error make_persistent_send(const Context& context, const void* buffer, std::int64_t count,
                           Datatype& type, std::int32_t destination, std::int32_t tag,
                           SendMode mode, MPI_Request* handle) {
  Recipe recipe{mode == SendMode::buffered ? restart_buffered : restart_send,
                &context,
                count,
                destination,
                tag,
                mode == SendMode::synchronous};
  return make_persistent(recipe, const_cast<void*>(buffer), type, RequestKind::send, handle);
}

Error make_persistent_receive(const Context& context, void* buffer, std::int64_t count,
                              Datatype& type, std::int32_t source, std::int32_t tag,
                              MPI_Request* handle) {
  Recipe recipe{restart_receive, &context, count, source, tag, false};
  return make_persistent(recipe, buffer, type, RequestKind::receive, handle);
}

Error start_exchange(const Context& context, const void* out, std::int64_t out_count,
                     Datatype& out_type, std::int32_t destination, std::int32_t out_tag, void* in,
                     std::int64_t in_count, Datatype& in_type, std::int32_t source,
                     std::int32_t in_tag, void* staged, MPI_Request* handle) {
  auto* exchange = new (std::nothrow) Exchange;
  Request* visible = exchange ? new_request() : nullptr;
  if (!visible) {
    delete exchange;
    std::free(staged);
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  exchange->staged = staged;
  exchange->visible = visible;
  visible->kind = RequestKind::schedule;
  visible->stage = Stage::queued;
  visible->owner = context.owner;
  hold(*visible, context);
  datatype::retain(out_type);
  datatype::retain(in_type);
  begin_receive(context, in, in_count, in_type, source, in_tag, exchange->receive);
  begin_send(context, out, out_count, out_type, destination, out_tag, false, exchange->send);
  *handle = visible->handle;
  exchanges.add(*exchange);
  return MPI_SUCCESS;
}

}  // namespace baton::message
