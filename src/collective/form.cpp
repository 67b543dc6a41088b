#include "collective/form.hpp"

#include <cstdlib>
#include <new>

#include "base/event.hpp"
#include "base/settings.hpp"
#include "collective/check/check_call.hpp"
#include "collective/device_data.hpp"
#include "collective/run.hpp"
#include "collective/select.hpp"
#include "collective/told.hpp"
#include "collective/turn.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress.hpp"
#include "message/core/requests.hpp"
#include "platform/memory_kind.hpp"
#include "world/agree/agree.hpp"

namespace baton::collective {

namespace {

// Calls on a communicator have the same number everywhere, since their order is the same.
// Persistent calls may be started in any order, so they keep the number with which they were made.
std::int32_t next_tag(Communicator& comm) {
  return world::own_tag(world::TagKind::collective, comm.collectives++);
}
std::int32_t next_persistent_tag(Communicator& comm) {
  return world::own_tag(world::TagKind::persistent, comm.persistent_collectives++);
}

Task algorithm_of(Run& run) {
  if (BATON_UNLIKELY(run.call.task != nullptr)) {
    if (settings.check) platform::add_shared(run.call.comm->checked, 1u);
    return run.call.task(run, run.call.task_state);
  }
  if (are_told(collective_event_bits | checked_calls_bit)) return run_watched(run, run.call);
  return select_for(run, run.call);
}

// Begins a run, also again after it has ended; a blocking run also ends here. Returns true when it
// has ended.
bool begin(Run& run, std::int32_t tag, bool blocking) {
  run.prepare(tag, blocking);
  if (const Error error = message::refused(run.call.comm->collective)) {
    run.note(error);
    if (platform::memory_kinds.concern_collectives()) count_begun(run.call);
    return true;
  }
  if (BATON_UNLIKELY(platform::memory_kinds.concern_collectives()))
    return run.begin(begin_where_data_lies(run, algorithm_of));
  return run.begin(algorithm_of(run));
}

// ---- runs that the thread which makes progress advances ----

void finish(Run& run) {
  message::complete(*run.visible, run.error());
}

class Runs final : public message::ProgressSource {
 public:
  // Advances all runs. The list changes only at its head meanwhile: new runs are put there.
  bool advance() override {
    if (advancing_) return false;
    advancing_ = true;
    bool any = false;
    Run* run;
    {
      platform::Guard guard(lock_);
      run = first_;
    }
    while (run) {
      Run* next = run->next;
      any |= advance_one(*run);
      run = next;
    }
    advancing_ = false;
    return any;
  }
  // Advances one run, for a thread that waits for it. Returns false where only progress can.
  bool advance_alone(Run& run) {
    if (advancing_ || run.awaits_progress()) return false;
    advancing_ = true;
    advance_one(run);
    advancing_ = false;
    return true;
  }
  void add(Run& run) {
    platform::Guard guard(lock_);
    run.next = first_;
    first_ = &run;
    message::set_active(*this, true);
  }
  void keep_spare(Run& run) {
    platform::Guard guard(lock_);
    run.next = first_spare_;
    first_spare_ = &run;
  }
  // Returns null when there is none.
  Run* take_spare() {
    platform::Guard guard(lock_);
    Run* run = first_spare_;
    if (BATON_LIKELY(run != nullptr)) first_spare_ = run->next;
    return run;
  }

 private:
  bool advance_one(Run& run) {
    if (!run.advance()) return false;
    unlink(run);
    finish(run);
    return true;
  }
  void unlink(Run& run) {
    platform::Guard guard(lock_);
    Run** link = &first_;
    while (*link != &run) link = &(*link)->next;
    *link = run.next;
    if (!first_) message::set_active(*this, false);
  }

  Run* first_ = nullptr;
  Run* first_spare_ = nullptr;
  bool advancing_ = false;  // a run that begins a message may come back here
  platform::Lock lock_;     // protects the two lists
};
constinit Runs runs;

bool advance_alone(message::Request& request) {
  return runs.advance_alone(*static_cast<Run*>(request.state));
}

void give_back(Run& run) {
  run.clear();
  runs.keep_spare(run);
}

// ---- the objects that a call keeps alive ----

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

// Takes a run back when its request goes: a nonblocking one after it has completed, a persistent
// one when it is freed.
void recycle(message::Request& request) {
  Run& run = *static_cast<Run*>(request.state);
  let_go(run.call);
  give_back(run);
}

BATON_COLD Run* make_run() {
  Run* run = new (std::nothrow) Run;
  message::Request* visible = run ? message::new_request() : nullptr;
  if (!visible) {
    delete run;
    (void)fail(MPI_ERR_NO_MEM, "no memory for a request");
    return nullptr;
  }
  visible->kind = message::RequestKind::schedule;
  visible->stage = message::Stage::queued;
  visible->state = run;
  visible->advance = advance_alone;
  visible->recycle = recycle;
  visible->ending = message::freed;
  run->visible = visible;
  return run;
}

// Gets the run ready to begin.
Error make_ready(Run& run) {
  if (Error error = check_call(run.call)) return error;
  // The arrays of counts are copied, because programs change and free them, though they should not.
  return run.take_in(true) ? MPI_SUCCESS : run.error();
}

// Gives the program the request, which keeps alive what the run uses.
MPI_Request show(Run& run) {
  message::Request& visible = *run.visible;
  visible.ending = 0;
  visible.error = MPI_SUCCESS;
  const Call& call = run.program_call();
  visible.owner = call.comm;
  hold(call);
  message::hold(visible, call.comm->collective);
  return visible.handle;
}

// Starts a persistent request again.
Error restart(message::Request& request) {
  request.inactive = false;
  request.ending = 0;
  request.error = MPI_SUCCESS;
  Run& run = *static_cast<Run*>(request.state);
  if (begin(run, request.recipe->tag, false))
    finish(run);
  else
    runs.add(run);
  return MPI_SUCCESS;
}

}  // namespace

Run* new_run() {
  Run* run = runs.take_spare();
  return BATON_LIKELY(run != nullptr) ? run : make_run();
}

Error run_now(Run& run) {
  if (Error error = check_call(run.call)) return error;
  if (run.take_in(false)) begin(run, next_tag(*run.call.comm), true);
  return run.error();
}

Error start(Run& run, MPI_Request* handle) {
  if (Error error = make_ready(run)) {
    give_back(run);
    return error;
  }
  run.visible->bytes = 0;
  bool over = begin(run, next_tag(*run.call.comm), false);
  if (over && !run.error() && run.visible->bytes == 0) {
    give_back(run);
    *handle = message::completed_handle();
    return MPI_SUCCESS;
  }
  *handle = show(run);
  if (over)
    finish(run);
  else
    runs.add(run);
  return MPI_SUCCESS;
}

Error prepare(Run& run, MPI_Request* handle) {
  auto* recipe = static_cast<message::Recipe*>(std::malloc(sizeof(message::Recipe)));
  Error error = recipe ? make_ready(run) : fail(MPI_ERR_NO_MEM, "no memory for a request");
  if (error) {
    std::free(recipe);
    give_back(run);
    return error;
  }
  *handle = show(run);
  message::Request& visible = *run.visible;
  *recipe = {restart, nullptr, 0, 0, next_persistent_tag(*run.call.comm), false};
  visible.recipe = recipe;
  visible.inactive = true;
  return MPI_SUCCESS;
}

const Run* run_of(const message::Request& request) {
  return request.recycle == recycle ? static_cast<const Run*>(request.state) : nullptr;
}

void explain_again(const message::Request& request) {
  const Run* run = run_of(request);
  if (run && run->refusal()) (void)fail(request.error, "%s", run->refusal());
}

}  // namespace baton::collective
