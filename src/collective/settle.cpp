#include "collective/settle.hpp"

namespace baton::collective {

using world::RoomPart;
using world::RoomState;

Task settle_room(Run& run, Communicator& comm, RoomPart part) {
  RoomState& state = part == RoomPart::lines ? comm.room_state : comm.blocks_state;
  if (state == RoomState::unknown) {
    state = RoomState::settling;
    std::int64_t offset = comm.rank() == 0 ? world::open_room(comm, part) : -1;
    Datatype& type = *datatype::datatypes.find(MPI_INT64_T);
    co_await broadcast_binomial(run, comm.collective, &offset, 1, type, 0);
    world::enter_room(comm, part, offset);
  }
  co_await run.until([&state] { return state != RoomState::settling; });
}

}  // namespace baton::collective
