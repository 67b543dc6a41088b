#include "collective/device_data.hpp"

#include <bit>

#include "base/settings.hpp"
#include "collective/by_nodes.hpp"
#include "collective/host_copies.hpp"
#include "collective/select.hpp"
#include "collective/side_of_call.hpp"
#include "collective/turn.hpp"
#include "datatype/device_reduce.hpp"
#include "datatype/foreign.hpp"
#include "message/network/rendezvous.hpp"
#include "platform/device/device_memory.hpp"
#include "transport/node.hpp"
#include "world/agree/agree.hpp"
#include "world/node_layout.hpp"

namespace baton::collective {

namespace {

bool reduces(const Call& call) {
  return call.operation != nullptr;
}

// This is what a rank knows of its own data.
struct Places {
  bool foreign = false;             // some of it is not host memory
  bool elsewhere = false;           // some of it is no device's that other ranks keep open
  const void* on_device = nullptr;  // a place of it that is one
  std::int64_t bytes = 0;           // of all of it
};
Places places_of(const Call& call) {
  Places places;
  for (const bool gives : {true, false})
    SideOfCall(call, gives).each([&](const Elements& block) {
      const char* place = static_cast<const char*>(block.place) + block.type->true_lower_bound;
      places.bytes += block.count * block.type->size;
      platform::DeviceRange range;
      const bool is_foreign = datatype::kind_of(*block.type, block.place) != nullptr;
      places.foreign |= is_foreign;
      if (is_foreign && platform::device_memory.find(place, range) && range.may_export &&
          !range.of_pool)
        places.on_device = place;
      else
        places.elsewhere = true;
    });
  return places;
}

// Returns whether messages of a call move data of devices without host memory between, at least
// those within nodes where the call goes by nodes.
bool reaches_devices(const Call& call) {
  const bool between_nodes = world::node_layout(*call.comm).several && goes_by_messages(call);
  return between_nodes ? message::network_reaches_devices() : settings.device_ipc != 0;
}

// Returns whether data of this rank stays where it is, if the call goes by messages alone. Where
// the messages would be staged, copies in host memory are quicker. What is reduced stays only if
// all of it is a device's.
bool stays(const Call& call, const Places& places) {
  if (!places.on_device || places.bytes < settings.device_bytes_min || !reaches_devices(call))
    return false;
  return !reduces(call) ||
         (!places.elsewhere && datatype::devices_reduce(*call.operation, *call.in.type));
}

// Returns whether the ranks of a call may ask each other. All find the same. Short calls find out
// soon.
bool may_ask(const Call& call) {
  Communicator& comm = *call.comm;
  const bool may_be_there = transport::job().devices || settings.device == 1;
  if (!may_be_there || call.uneven || comm.size() == 1) return false;
  const std::int64_t bytes = bytes_of(call);
  if (bytes == 0 || bytes < settings.device_bytes_min) return false;
  if (reduces(call) && !datatype::devices_reduce(*call.operation, *call.in.type)) return false;
  return !comm.spans_jobs() && !goes_by_messages(call);
}

// Returns whether a call is one in which ranks ask: the first ones, then ever fewer.
bool is_turn_to_ask(std::uint32_t calls) {
  constexpr std::uint32_t calls_between = 64;  // guess
  return std::has_single_bit(calls) || calls % calls_between == 0;
}

Task work_on_device(Run& run, const void* beside, Task (*begin)(Run& run)) {
  run.on_device.begin(beside);
  Task algorithm = begin(run);
  count_begun(run.call);
  if (algorithm.handle()) co_await algorithm;
  run.on_device.end();
}

// Begins a coroutine that counts the call. Without memory for its frame the run has the error.
Task counting(const Run& run, Task task) {
  if (!task.handle()) count_begun(run.call);
  return task;
}

Task go_on(Run& run, const Places& places, Task (*begin)(Run& run)) {
  if (!places.foreign) {
    const Task algorithm = begin(run);
    count_begun(run.call);
    return algorithm;
  }
  return counting(run, run.by_messages && stays(run.call, places)
                           ? work_on_device(run, places.on_device, begin)
                           : work_on_host_copies(run, begin));
}

// The question's messages have tags of their own, as those of the check have (check/alike.cpp):
// over several nodes both go by the contexts of columns, where the call's delegates are other
// ranks.
constexpr std::uint32_t question_numbers = 1u << 26;

// Learns whether any rank has had data in device memory since the ranks asked last.
Task ask(Run& run, world::DeviceHabit& habit, Places places, Task (*begin_algorithm)(Run& run)) {
  std::int32_t any = habit.seen;
  Vector one{1, datatype::datatypes.find(MPI_INT32_T), datatype::operations.find(MPI_MAX)};
  Step step;
  const std::int32_t tag = run.change_tag(0);
  run.change_tag(
      world::own_tag(world::kind_of_tag(tag), world::number_of_tag(tag) + question_numbers));
  begin(run, step, step_of(Kind::allreduce, *run.call.comm, 0, one, &any, &any));
  co_await finish(run, step);
  run.change_tag(tag);
  habit.used = any != 0;
  habit.seen = false;
  run.by_messages = habit.used;
  Task algorithm = go_on(run, places, begin_algorithm);
  if (algorithm.handle()) co_await algorithm;
}

Task await_turn(Run& run, Task (*begin)(Run& run)) {
  co_await run.until_progress([&run] { return is_next(run); });
  Task task = begin_in_turn(run, begin);
  if (task.handle()) co_await task;
}

}  // namespace

Task begin_in_turn(Run& run, Task (*begin)(Run& run)) {
  const Call& call = run.call;
  if (call.kind == Kind::barrier) return go_on(run, {}, begin);
  const Places places = run.is_host() ? Places{} : places_of(call);
  if (call.task || call.comm->is_inter()) return go_on(run, places, begin);
  if (!may_ask(call)) {
    run.by_messages = places.foreign && goes_by_messages(call);
    return go_on(run, places, begin);
  }
  world::DeviceHabit& habit = call.persistent ? run.device_habit : call.comm->device_habit;
  habit.seen |= stays(call, places);
  if (is_turn_to_ask(++habit.calls)) return counting(run, ask(run, habit, places, begin));
  run.by_messages = habit.used;
  return go_on(run, places, begin);
}

Task begin_where_data_lies(Run& run, Task (*begin)(Run& run)) {
  const Call& call = run.call;
  if (settings.check && !call.task) return begin(run);
  if (settings.check || call.persistent || is_next(run)) return begin_in_turn(run, begin);
  return counting(run, await_turn(run, begin));
}

}  // namespace baton::collective
