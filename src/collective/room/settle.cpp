#include "collective/room/settle.hpp"

#include "collective/algorithm/broadcast_binomial.hpp"

namespace baton::collective {

using world::RoomPart;
using world::RoomState;

namespace {

// This tag is used on the collective plane; calls have tags of world::TagKind.
constexpr std::int32_t lines_tag = -4;
constexpr std::int32_t blocks_tag = -5;

// Returns whether the caller is to settle the part: the first that asks is.
bool take_charge(world::RoomView& view, RoomPart part) {
  platform::Guard guard(view.lock);
  if (view.state(part) != RoomState::unknown) return false;
  view.state(part) = RoomState::settling;
  return true;
}

}  // namespace

Task settle_room(Run& run, RoomPart part) {
  Communicator& comm = *run.call.comm;
  world::RoomView& view = run.room();
  if (take_charge(view, part)) {
    world::RoomOffsets offsets{};
    if (comm.rank() == 0) offsets = world::open_room(comm.collective, view, part);
    Datatype& type = *datatype::datatypes.find(MPI_INT64_T);
    // The call that comes here first may differ between ranks, so these messages belong to no call.
    // A persistent call settles its own room.
    const std::int32_t own = run.change_tag(part == RoomPart::lines ? lines_tag : blocks_tag);
    if (run.call.persistent) run.change_tag(own);
    co_await broadcast_on_tree(run, comm.collective, &offsets, 2, type, 0);
    run.change_tag(own);
    // Nobody has told where the room is: a rank is lost, or the communicator revoked.
    if (run.error()) offsets = {-1, -1};
    platform::Guard guard(view.lock);
    world::enter_room(comm.collective, view, part, offsets);
  }
  co_await run.until_progress([&view, part] {
    platform::Guard guard(view.lock);
    return view.state(part) != RoomState::settling;
  });
}

}  // namespace baton::collective
