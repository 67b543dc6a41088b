#include "collective/told.hpp"

#include "base/event.hpp"
#include "base/settings.hpp"
#include "collective/check/alike.hpp"
#include "collective/select.hpp"

namespace baton::collective {

namespace {

constexpr int blocking = 0, nonblocking = 1, persistent = 2;  // as event_rows says

int form_of(const Run& run) {
  if (!run.visible) return blocking;
  return run.call.persistent ? persistent : nonblocking;
}

bool has_root(Kind kind) {
  return kind == Kind::broadcast || kind == Kind::gather || kind == Kind::scatter ||
         kind == Kind::reduce;
}

void tell_of(Event event, EventPlace place, const Communicator& comm, const Call& call, int form,
             std::int64_t last) {
  if (is_told(event))
    tell(event, place, comm.point_to_point.receive_id, {static_cast<int>(call.kind), form, last});
}

Task run_checked(Run& run, const Call& call) {
  return settings.check ? check_and_run(run, call) : select_for(run, call);
}

Task tell_and_run(Run& run, const Call& call) {
  const int form = form_of(run);
  tell_of(Event::collective_entered, EventPlace::call, *call.comm, call, form,
          has_root(call.kind) ? call.root : -1);
  co_await run_checked(run, call);
  // A blocking call never suspends; else whoever makes progress is here.
  tell_of(Event::collective_left, form == blocking ? EventPlace::call : EventPlace::inside,
          *call.comm, call, form, run.error());
}

}  // namespace

Task run_watched(Run& run, const Call& call) {
  return are_told(collective_event_bits) ? tell_and_run(run, call) : run_checked(run, call);
}

}  // namespace baton::collective
