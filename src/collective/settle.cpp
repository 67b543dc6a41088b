#include "collective/settle.hpp"

namespace baton::collective {

using world::RoomPart;
using world::RoomState;

namespace {

// On the collective plane; calls have those of world::TagKind.
constexpr std::int32_t lines_tag = -4;
constexpr std::int32_t blocks_tag = -5;

// Whether the caller is to settle it: the first that asks.
bool take_charge(Communicator& comm, RoomState& state) {
  platform::Guard guard(comm.room_lock);
  if (state != RoomState::unknown) return false;
  state = RoomState::settling;
  return true;
}

}  // namespace

Task settle_room(Run& run, Communicator& comm, RoomPart part) {
  RoomState& state = part == RoomPart::lines ? comm.room_state : comm.blocks_state;
  if (take_charge(comm, state)) {
    std::int64_t offset = comm.rank() == 0 ? world::open_room(comm, part) : -1;
    Datatype& type = *datatype::datatypes.find(MPI_INT64_T);
    // Which of several calls comes here first differs between ranks: the messages are not theirs.
    const std::int32_t own = run.change_tag(part == RoomPart::lines ? lines_tag : blocks_tag);
    co_await broadcast_binomial(run, comm.collective, &offset, 1, type, 0);
    run.change_tag(own);
    platform::Guard guard(comm.room_lock);
    world::enter_room(comm, part, offset);
  }
  co_await run.until([&comm, &state] {
    platform::Guard guard(comm.room_lock);
    return state != RoomState::settling;
  });
}

}  // namespace baton::collective
