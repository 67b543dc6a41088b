// Communicators: a group (two, between groups), a context id with its planes, and what hangs on it.
// Invariant: a communicator that communication still uses lives on after MPI_Comm_free.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "lockfree/room.hpp"
#include "message/context.hpp"
#include "message/send_buffer.hpp"
#include "world/attribute.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"

namespace baton::world {

// Whether a communicator's short collectives meet in a room: settled at its first collective.
enum class RoomState : std::uint8_t { unknown, open, none };

class Communicator {
 public:
  ErrorTarget errors;
  AttributeSet attributes;
  char name[MPI_MAX_OBJECT_NAME] = {};
  MPI_Comm handle = MPI_COMM_NULL;
  message::Context point_to_point;
  message::Context collective;
  message::Usage usage;
  Group* local = nullptr;
  Group* remote = nullptr;  // null: one group
  std::uint32_t id = 0;     // context id
  RoomState room_state = RoomState::unknown;
  std::int64_t room_offset = -1;  // in the leader's rooms
  lockfree::Room<lockfree::Hardware> room;
  message::SendBuffer buffer;  // of buffered sends on this communicator

  BATON_INLINE int rank() const { return point_to_point.rank; }
  BATON_INLINE int size() const { return local->size; }
  // Ranks that can be addressed: the remote group's between groups, else our own.
  BATON_INLINE int remote_size() const { return point_to_point.size; }
  bool is_inter() const { return remote != nullptr; }
};

using CommunicatorTable = HandleTable<Communicator, HandleTag::comm>;
extern CommunicatorTable communicators;

// Makes a communicator of one group, of which it takes the reference, around an agreed id. It gets
// the parent's error handler (null: the standard's default). MPI_ERR_NO_MEM, explained.
Error make_communicator(Group* group, std::uint32_t id, const Communicator* parent,
                        Communicator** made);

// Puts the predefined ones behind their handles. Once a start.
Error make_world_and_self(std::uint32_t ranks, std::uint32_t rank);
void free_world_and_self();
Communicator* world_communicator();
Communicator* self_communicator();

// Collective over `parent`. Each gives null where this process is not a member.
Error duplicate(Communicator& parent, bool with_attributes, Communicator** made);
Error split(Communicator& parent, int color, int key, Communicator** made);
Error split_by_node(Communicator& parent, bool take_part, int key, Communicator** made);
Error create(Communicator& parent, const Group& group, Communicator** made);
// Collective over `group` only; `tag` as the user gave it.
Error create_from_members(Communicator& parent, const Group& group, int tag, Communicator** made);

// Deletes attributes (whose callbacks may refuse), the handle, and the object.
Error free_communicator(Communicator& communicator);

// MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Communicator& a, const Communicator& b);

}  // namespace baton::world

namespace baton {
using world::Communicator;
}
