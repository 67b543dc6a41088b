#include "collective/form.hpp"

#include <cstdlib>
#include <new>

#include "collective/check_call.hpp"
#include "collective/run.hpp"
#include "message/engine.hpp"
#include "world/agree/agree.hpp"

namespace baton::collective {

namespace {

// Calls on a communicator have the same number everywhere, since their order is the same. Starts of
// persistent ones may come in any order: they keep the number they were made with.
std::int32_t next_tag(Communicator& comm) {
  return world::own_tag(world::TagKind::collective, comm.collectives++);
}
std::int32_t next_persistent_tag(Communicator& comm) {
  return world::own_tag(world::TagKind::persistent, comm.persistent_collectives++);
}

// ---- runs that whoever makes progress goes on with ----

platform::Lock runs_lock;  // of the two lists
Run* under_way = nullptr;
Run* spare_runs = nullptr;
bool advance_runs(void*);
message::ProgressSource run_source{advance_runs};
bool advancing = false;  // a run that begins a message may come back here

void unlink(Run& run) {
  platform::Guard guard(runs_lock);
  Run** link = &under_way;
  while (*link != &run) link = &(*link)->next;
  *link = run.next;
  if (!under_way) message::set_active(run_source, false);
}

void finish(Run& run) {
  message::complete(*run.visible, run.error());
}

bool advance_run(Run& run) {
  if (!run.advance()) return false;
  unlink(run);
  finish(run);
  return true;
}

// The list changes only at its head while we walk: new ones are put there.
bool advance_runs(void*) {
  if (advancing) return false;
  advancing = true;
  bool any = false;
  Run* run;
  {
    platform::Guard guard(runs_lock);
    run = under_way;
  }
  while (run) {
    Run* next = run->next;
    any |= advance_run(*run);
    run = next;
  }
  advancing = false;
  return any;
}

// For who waits for this one.
bool advance_alone(message::Request& request) {
  Run& run = *static_cast<Run*>(request.state);
  if (advancing || run.awaits_messages()) return false;
  advancing = true;
  advance_run(run);
  advancing = false;
  return true;
}

void list(Run& run) {
  platform::Guard guard(runs_lock);
  run.next = under_way;
  under_way = &run;
  message::set_active(run_source, true);
}

Run* take_run() {
  platform::Guard guard(runs_lock);
  Run* run = spare_runs;
  if (!run) return new (std::nothrow) Run;
  spare_runs = run->next;
  return run;
}

void give_back(Run& run) {
  run.clear();
  platform::Guard guard(runs_lock);
  run.next = spare_runs;
  spare_runs = &run;
}

// ---- what a call keeps alive ----

template <class Do>
void each_type(const Call& call, Do&& act) {
  for (const Blocks* side : {&call.out, &call.in}) {
    if (side->type) act(*side->type);
    for (int i = 0; side->types && i < side->ranks; ++i) act(*side->types[i]);
  }
}

void hold(const Call& call) {
  each_type(call, [](Datatype& type) { datatype::retain(type); });
  if (call.operation) datatype::retain(*call.operation);
}

void let_go(const Call& call) {
  each_type(call, [](Datatype& type) { datatype::release(type); });
  if (call.operation) datatype::release(*call.operation);
}

// The request goes: nonblocking ones after they have completed, persistent ones when freed.
void destroy_run(message::Request& request) {
  Run& run = *static_cast<Run*>(request.state);
  let_go(run.call);
  give_back(run);
}

// A run and its request, not yet tied together.
Error make_run(const Call& call, Run** made) {
  if (Error error = check_call(call)) return error;
  Run* run = take_run();
  message::Request* visible = run ? message::new_request() : nullptr;
  if (!visible) {
    if (run) give_back(*run);
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  // Programs change and free their arrays of counts, though they should not.
  if (!run->set(call, true)) {
    Error error = run->error();
    message::unuse_request(*visible);
    give_back(*run);
    return error;
  }
  run->visible = visible;
  *made = run;
  return MPI_SUCCESS;
}

// From now on the request owns the run, and both keep alive what they use.
void tie(Run& run) {
  message::Request& visible = *run.visible;
  visible.kind = message::RequestKind::schedule;
  visible.stage = message::Stage::queued;
  visible.owner = run.call.comm;
  visible.state = &run;
  visible.advance = advance_alone;
  visible.destroy = destroy_run;
  hold(run.call);
  message::hold(visible, run.call.comm->collective);
}

// Of a persistent request.
Error restart(message::Request& request) {
  request.inactive = false;
  request.ending = 0;
  request.error = MPI_SUCCESS;
  Run& run = *static_cast<Run*>(request.state);
  if (run.begin(request.recipe->tag, false))
    finish(run);
  else
    list(run);
  return MPI_SUCCESS;
}

}  // namespace

Error run_now(const Call& call) {
  if (Error error = check_call(call)) return error;
  Run run;
  if (run.set(call, false)) run.begin(next_tag(*call.comm), true);
  return run.error();
}

Error start(const Call& call, MPI_Request* handle) {
  Run* run;
  if (Error error = make_run(call, &run)) return error;
  bool over = run->begin(next_tag(*call.comm), false);
  if (over && !run->error()) {
    message::unuse_request(*run->visible);
    give_back(*run);
    *handle = message::completed_handle();
    return MPI_SUCCESS;
  }
  *handle = run->visible->handle;
  tie(*run);
  if (over)
    finish(*run);
  else
    list(*run);
  return MPI_SUCCESS;
}

Error prepare(const Call& call, MPI_Request* handle) {
  Run* run;
  auto* recipe = static_cast<message::Recipe*>(std::malloc(sizeof(message::Recipe)));
  if (!recipe) return fail(MPI_ERR_NO_MEM, "no memory for a request");
  Call kept = call;
  kept.persistent = true;
  if (Error error = make_run(kept, &run)) {
    std::free(recipe);
    return error;
  }
  tie(*run);
  message::Request& visible = *run->visible;
  *recipe = {restart, nullptr, 0, 0, next_persistent_tag(*call.comm), false};
  visible.recipe = recipe;
  visible.inactive = true;
  *handle = visible.handle;
  return MPI_SUCCESS;
}

const Run* run_of(const message::Request& request) {
  return request.destroy == destroy_run ? static_cast<const Run*>(request.state) : nullptr;
}

void explain_again(const message::Request& request) {
  const Run* run = run_of(request);
  if (run && run->refusal()) (void)fail(request.error, "%s", run->refusal());
}

}  // namespace baton::collective
