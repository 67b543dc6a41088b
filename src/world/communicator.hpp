// Communicators: a group (two, between groups), a context id with its planes, and the objects that
// belong to it.
// Invariant: a communicator that communication still uses lives on after MPI_Comm_free.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "message/core/context.hpp"
#include "message/core/send_buffer.hpp"
#include "message/network/peer_loss.hpp"
#include "platform/lock.hpp"
#include "world/agree/agree.hpp"
#include "world/attribute.hpp"
#include "world/error_handler.hpp"
#include "world/failure/failures.hpp"
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

// This is what all ranks of a communicator know alike of where their long data lies
// (collective/device_data.hpp).
struct DeviceHabit {
  std::uint32_t calls = 0;  // so far, of those in which ranks may ask
  bool used = false;        // some rank had data in device memory when they asked last
  bool seen = false;        // this rank has had some since; it alone knows
};

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
  Group* remote = nullptr;       // null: there is one group
  Topology* topology = nullptr;  // held; null: none. Duplicates share it
  std::uint32_t id = 0;          // context id
  std::uint64_t nonce = 0;       // tells this use of the id from all others (context_id.hpp)
  bool pending = true;           // the id is not agreed yet
  // While some ranks of this one agree on an id: its revocation ends that. Else null.
  const Communicator* made_from = nullptr;
  bool is_of_window = false;  // belongs to a window, whose name it has; no program knows it
  // This is where errors of its requests go: to the file that it belongs to. Null: to `errors`.
  ErrorTarget* errors_of_requests = nullptr;
  RoomView room;               // for its collectives, except persistent ones
  message::SendBuffer buffer;  // for buffered sends on this communicator
  Hints hints;
  std::uint32_t duplications = 0;  // nonblocking duplications ever started
  std::uint32_t collectives = 0;   // collective calls so far, and persistent ones made
  std::uint32_t persistent_collectives = 0;
  // Calls whose algorithms have begun, where some wait for their turn: under the setting `check`,
  // and where ranks may have memory of devices.
  std::uint32_t checked = 0;
  collective::Cutoffs* cutoffs = nullptr;  // choice of algorithms; made by collective/
  DeviceHabit device_habit;
  // This is how the machine divides its ranks. collective/ makes it, in plain memory that the
  // communicator frees.
  collective::MachineGroups* machine_groups = nullptr;
  // These are its ranks by their nodes, made when a collective first needs them.
  NodeParts* node_parts = nullptr;
  platform::Lock node_parts_lock;  // held while they are made
  // Only intercommunicators have these: both groups as one, in the same order on both sides; and
  // two contexts on a plane of their own. The ranks of `within` are the local group, those of
  // `everyone` are `both`.
  Group* both = nullptr;
  message::Context within;
  message::Context everyone;
  Failures failures;

  BATON_INLINE int rank() const { return point_to_point.rank; }
  BATON_INLINE int size() const { return local->size; }
  // Returns the number of ranks that can be addressed: in the remote group of an intercommunicator,
  // else in the own group.
  BATON_INLINE int remote_size() const { return point_to_point.size; }
  BATON_INLINE bool is_inter() const { return remote != nullptr; }
  bool spans_jobs() const { return local->spans_jobs || (remote && remote->spans_jobs); }
  // Returns all ranks that take part in a collective call, in the order of `both`.
  Members members(std::int32_t tag) const {
    if (!is_inter()) return all_of(collective, tag);
    return all_of(everyone, tag);
  }
};

// Explains a call on a duplicate whose request is not complete: MPI_ERR_COMM.
BATON_COLD Error refuse_pending();
inline Error check_open(const Communicator& communicator) {
  return BATON_LIKELY(!communicator.pending) ? MPI_SUCCESS : refuse_pending();
}

using CommunicatorTable = HandleTable<Communicator, HandleTag::comm>;
extern CommunicatorTable communicators;

// Prepares a communicator: groups, whose references it takes (`remote` null: one group), a handle,
// and the parent's error handler (null: the standard's default). It can be inspected, but cannot
// communicate yet. Error: MPI_ERR_NO_MEM, explained; the references are given back then.
Error prepare_communicator(Group* local, Group* remote, const Communicator* parent,
                           Communicator** prepared);
// Gives a prepared communicator its agreed id; from now on it can be used. After an error it is
// gone, and the id is free again.
Error open_communicator(Communicator& prepared, std::uint32_t id);
// Agrees with the members on the id of a prepared communicator, and opens it: `*made` is it then.
// After an error it is gone.
Error open_by_agreement(const Members& members, Communicator& prepared, Communicator** made);
// Undoes prepare_communicator.
void abandon_communicator(Communicator& prepared);
// Prepares and opens a communicator.
Error make_communicator(Group* local, Group* remote, std::uint32_t id, const Communicator* parent,
                        Communicator** made);

// Makes a communicator with the ranks of `parent`, which has one group, for an object of theirs: a
// window or a file, which no program can use as a communicator. It is collective over `parent`.
// `objects` and `doing` name them in errors: "windows", "made". Errors: MPI_ERR_COMM,
// MPI_ERR_NO_MEM, explained.
Error make_for_object(Communicator& parent, const char* objects, const char* doing,
                      Communicator** made);

// Makes a communicator of some of the ranks, for steps of the owner's collectives: it is on a plane
// of its own, known to no program, and freed with the owner. Takes the reference of the group,
// which this process is in. Error: MPI_ERR_NO_MEM, explained; the reference is given back then.
Error make_part(Communicator& owner, message::Plane plane, Group* group, Communicator** made);
// Frees the parts, which may not be complete, and their memory.
void free_node_parts(NodeParts& parts);

// Fills the context in which processes agree that have no communicator in common: its ranks are all
// processes of the job. Error: MPI_ERR_NO_MEM, explained.
Error fill_job_context(message::Context& context);
// Does so for a group whose processes may be of several jobs, and gives it as the members of an
// agreement with this tag. The group and the context outlive the agreement.
Error fill_group_context(const Group& group, std::int32_t tag, message::Context& context,
                         Members& members);

// Makes MPI_COMM_WORLD and MPI_COMM_SELF behind their handles. It is called once per start.
Error make_world_and_self();
void free_world_and_self();
// Gives the layers below their view of communicators.
message::CommunicatorView view_of_communicators();

// These are collective over `parent`, over both groups where it has two. Each gives null where this
// process is not a member. (duplicate.cpp, split.cpp)
Error duplicate(Communicator& parent, const Hints& hints, Communicator** made);
// Starts a duplication without waiting: `*handle` is the new communicator, which can be used when
// `*request` is complete. Attributes are copied now.
Error start_duplicate(Communicator& parent, const Hints& hints, MPI_Comm* handle,
                      MPI_Request* request);
// Splits `parent`. `type`: the MPI_COMM_TYPE_ that the color comes from, which all ranks that have
// a color must give alike (MPI_ERR_ARG for all), or 0.
Error split(Communicator& parent, int type, int color, int key, Communicator** made);
Error create(Communicator& parent, const Group& group, Communicator** made);
// Makes a communicator of `group`. It is collective over `group` only; the parent has one group;
// `tag` is the user's.
Error create_from_members(Communicator& parent, const Group& group, int tag, Communicator** made);

// Returns our color when `parent` is split by the instances of a resource that ranks use, or by the
// largest resource that divides them (false: none does). MPI_UNDEFINED for a rank that uses several
// instances.
int color_by(const Communicator& parent, Resource resource);
bool find_dividing(const Communicator& parent, Resource* resource);

// Deletes attributes (whose callbacks may refuse), the handle, and the object.
Error free_communicator(Communicator& communicator);

// Returns MPI_IDENT, MPI_CONGRUENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare(const Communicator& a, const Communicator& b);

}  // namespace baton::world

namespace baton {
using world::Communicator;
}
