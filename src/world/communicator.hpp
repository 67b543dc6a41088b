// Communicators: a group (two, between groups), a context id with its planes, and what hangs on it.
// Invariant: a communicator that communication still uses lives on after MPI_Comm_free.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "message/core/context.hpp"
#include "message/core/send_buffer.hpp"
#include "message/network/peer_loss.hpp"
#include "world/agree/agree.hpp"
#include "world/attribute.hpp"
#include "world/error_handler.hpp"
#include "world/group.hpp"
#include "world/hint.hpp"
#include "world/resource.hpp"
#include "world/room.hpp"
#include "world/topology.hpp"

namespace baton::collective {
struct Cutoffs;
struct MachineGroups;
}  // namespace baton::collective

namespace baton::world {

struct NodeParts;

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
  Group* remote = nullptr;       // null: one group
  Topology* topology = nullptr;  // held; null: none. Duplicates share it
  std::uint32_t id = 0;          // context id
  bool pending = true;           // the id is not agreed yet
  bool is_of_window = false;     // whose name it has, in words; no program knows it
  RoomView room;                 // of its collectives, but for persistent ones
  message::SendBuffer buffer;    // of buffered sends on this communicator
  Hints hints;
  std::uint32_t duplications = 0;  // nonblocking ones ever started
  std::uint32_t collectives = 0;   // calls so far, and persistent ones made
  std::uint32_t persistent_collectives = 0;
  std::uint32_t checked = 0;  // of `collectives`, by the setting `check`: algorithms have begun
  collective::Cutoffs* cutoffs = nullptr;  // which algorithms they take; theirs to make
  // How the machine divides its ranks; theirs to make, plain memory of ours.
  collective::MachineGroups* machine_groups = nullptr;
  // Its ranks by their nodes; made when a collective wants it.
  NodeParts* node_parts = nullptr;
  // Between groups only: both groups as one, in the same order on both sides; and two contexts on a
  // plane of their own. `within` is the local group's; the ranks of `everyone` are all processes.
  Group* both = nullptr;
  message::Context within;
  message::Context everyone;

  BATON_INLINE int rank() const { return point_to_point.rank; }
  BATON_INLINE int size() const { return local->size; }
  // Ranks that can be addressed: the remote group's between groups, else our own.
  BATON_INLINE int remote_size() const { return point_to_point.size; }
  BATON_INLINE bool is_inter() const { return remote != nullptr; }
  // Everybody who takes part in a collective call, in the order of `both`.
  Members members(std::int32_t tag) const {
    if (!is_inter()) return all_of(collective, tag);
    return {&everyone, tag, both->size, both->rank, nullptr, both->processes};
  }
};

// MPI_ERR_COMM for a duplicate whose request is not complete, explained.
BATON_COLD Error refuse_pending();
inline Error check_open(const Communicator& communicator) {
  return BATON_LIKELY(!communicator.pending) ? MPI_SUCCESS : refuse_pending();
}

using CommunicatorTable = HandleTable<Communicator, HandleTag::comm>;
extern CommunicatorTable communicators;

// What a communicator begins as: groups, of which it takes the references (`remote` null: one
// group), a handle, and the parent's error handler (null: the standard's default). It can be looked
// at, but reaches nobody yet. MPI_ERR_NO_MEM, explained; the references are given back then.
Error prepare_communicator(Group* local, Group* remote, const Communicator* parent,
                           Communicator** prepared);
// Gives it its agreed id; from now on it can be used. When this fails it is gone, and the id is
// free again.
Error open_communicator(Communicator& prepared, std::uint32_t id);
// Undoes prepare_communicator.
void abandon_communicator(Communicator& prepared);
// Prepares and opens.
Error make_communicator(Group* local, Group* remote, std::uint32_t id, const Communicator* parent,
                        Communicator** made);

// Some of a communicator's ranks, for steps of its collectives: on a plane of its own, known to no
// program, and freed with it. Takes the reference of the group, which this process is in.
// MPI_ERR_NO_MEM, explained; the reference is given back then.
Error make_part(Communicator& owner, message::Plane plane, Group* group, Communicator** made);
// Parts, which may not be complete, and their memory.
void free_node_parts(NodeParts& parts);

// Where processes that have no communicator in common agree: its ranks are all processes.
// MPI_ERR_NO_MEM, explained.
Error fill_job_context(message::Context& context);

// Puts the predefined ones behind their handles. Once a start.
Error make_world_and_self();
void free_world_and_self();
Communicator* world_communicator();
// What they are to the layers below.
message::CommunicatorView view_of_communicators();
Communicator* self_communicator();

// Collective over `parent`, both groups where it has two. Each gives null where this process is not
// a member. (duplicate.cpp, split.cpp)
Error duplicate(Communicator& parent, const Hints& hints, Communicator** made);
// The same without waiting: `*handle` is the new communicator's, which can be used when `*request`
// is complete. Attributes are copied now.
Error start_duplicate(Communicator& parent, const Hints& hints, MPI_Comm* handle,
                      MPI_Request* request);
// `type`: an MPI_COMM_TYPE_ that the color comes from, which all that have a color must give alike
// (MPI_ERR_ARG for all), or 0.
Error split(Communicator& parent, int type, int color, int key, Communicator** made);
Error create(Communicator& parent, const Group& group, Communicator** made);
// Collective over `group` only, of a parent of one group; `tag` as the user gave it.
Error create_from_members(Communicator& parent, const Group& group, int tag, Communicator** made);

// Our color when `parent` is split by what ranks use of a resource, or by the largest one that
// divides them (false: none does). MPI_UNDEFINED for a rank that uses several instances.
int color_by(const Communicator& parent, Resource resource);
bool find_dividing(const Communicator& parent, Resource* resource);

// Deletes attributes (whose callbacks may refuse), the handle, and the object.
Error free_communicator(Communicator& communicator);

// MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Communicator& a, const Communicator& b);

}  // namespace baton::world

namespace baton {
using world::Communicator;
}
