// Makes communicators of parts of another communicator's group or groups.
#include <algorithm>
#include <cstdlib>

#include "message/core/engine.hpp"
#include "world/communicator.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a communicator");
}

struct Place {
  std::int32_t color, key;
  Process process;
  std::int32_t type;
};

constexpr const char* type_names[] = {"MPI_COMM_TYPE_SHARED", "MPI_COMM_TYPE_HW_UNGUIDED",
                                      "MPI_COMM_TYPE_HW_GUIDED", "MPI_COMM_TYPE_RESOURCE_GUIDED"};
const char* type_name(std::int32_t type) {
  bool known = type >= MPI_COMM_TYPE_SHARED && type <= MPI_COMM_TYPE_RESOURCE_GUIDED;
  return known ? type_names[type - MPI_COMM_TYPE_SHARED] : "no type (MPI_Comm_split)";
}

// Checks that all ranks give the same type. All ranks see the same places, so all find the same
// error.
Error check_types(const Place* places, std::int32_t count) {
  const Place* first = nullptr;
  for (const Place* place = places; place != places + count; ++place) {
    if (place->type == MPI_UNDEFINED) continue;
    if (!first) first = place;
    if (place->type != first->type)
      return fail(MPI_ERR_ARG,
                  "argument split_type: rank %u of the job gives %s and rank %u %s; all have to "
                  "give the same, or MPI_UNDEFINED",
                  message::world_rank(first->process), type_name(first->type),
                  message::world_rank(place->process), type_name(place->type));
  }
  return MPI_SUCCESS;
}

// Makes the group of one color, ordered by key and then by the parent's order. Null when memory is
// short.
Group* group_of_color(Place* first, std::int32_t count, std::int32_t color, Session* session) {
  Place* end = std::stable_partition(first, first + count,
                                     [&](const Place& place) { return place.color == color; });
  std::stable_sort(first, end, [](const Place& a, const Place& b) { return a.key < b.key; });
  Group* group = new_group(static_cast<std::int32_t>(end - first));
  if (!group) return nullptr;
  belong_to(*group, session);
  for (Place* place = first; place != end; ++place)
    group->processes[place - first] = place->process;
  finish_group(*group);
  return group;
}

// Makes our part of the split, once all places and the id are known. In an intercommunicator no
// side may be empty: then there is no communicator.
Error make_part(Communicator& parent, Place* places, std::int32_t color, std::uint32_t id,
                Communicator** made) {
  std::int32_t size = parent.size(), remote_size = parent.is_inter() ? parent.remote_size() : 0;
  Session* session = parent.local->session;
  bool local_first = !parent.is_inter() || parent.both->processes[0] == parent.local->processes[0];
  Group* local = group_of_color(places + (local_first ? 0 : remote_size), size, color, session);
  Group* remote = nullptr;
  if (local && parent.is_inter())
    remote = group_of_color(places + (local_first ? size : 0), remote_size, color, session);
  bool enough = local && (remote || !parent.is_inter());
  if (enough && (!remote || remote->size > 0))
    return make_communicator(local, remote, id, &parent, made);
  for (Group* group : {local, remote})
    if (group) release(*group);
  context_ids.give_back(id);
  return enough ? MPI_SUCCESS : no_memory();
}

Process process_at(const Communicator& parent, std::int32_t member) {
  return parent.is_inter() ? parent.both->processes[member] : parent.local->processes[member];
}

std::int32_t instance_at(Process process, Resource resource) {
  return instance_of(message::place_of(process), resource);
}

}  // namespace

Error split(Communicator& parent, int type, int color, int key, Communicator** made) {
  if (Error error = check_open(parent)) return error;
  *made = nullptr;
  Members members = parent.members(agreement_tag);
  auto* places =
      static_cast<Place*>(std::malloc(static_cast<std::size_t>(members.count) * sizeof(Place)));
  if (!places) return no_memory();
  Place mine{color, key, message::engine.self, type};
  Error error = agree_allgather(members, &mine, sizeof mine, places);
  // The numbers of processes are each job's own.
  for (std::int32_t i = 0; i < members.count; ++i) places[i].process = process_at(parent, i);
  if (!error) error = check_types(places, members.count);
  // One id serves all colors: their groups do not overlap.
  std::uint32_t id = 0;
  if (!error) error = agree_context_id(members, &id);
  if (!error && color != MPI_UNDEFINED)
    error = make_part(parent, places, color, id, made);
  else if (!error)
    context_ids.give_back(id);
  std::free(places);
  return error;
}

Error create(Communicator& parent, const Group& group, Communicator** made) {
  if (Error error = check_open(parent)) return error;
  bool is_member = group.rank != MPI_UNDEFINED;
  // The members of the other side are known only to themselves.
  if (parent.is_inter())
    return split(parent, 0, is_member ? 0 : MPI_UNDEFINED, is_member ? group.rank : 0, made);
  *made = nullptr;
  std::uint32_t id = 0;
  if (Error error = agree_context_id(parent.members(agreement_tag), &id)) return error;
  if (!is_member) {
    context_ids.give_back(id);
    return MPI_SUCCESS;
  }
  auto& members = const_cast<Group&>(group);
  retain(members);
  return make_communicator(&members, nullptr, id, &parent, made);
}

// Returns a number that the same processes have in common, and hardly any others.
static std::uint32_t number_of_members(const Group& group) {
  std::uint64_t number = 0;
  for (std::int32_t i = 0; i < group.size; ++i)
    number = scramble(number + number_for_all(message::id_of(group.processes[i])));
  return static_cast<std::uint32_t>(number);
}

Error create_from_members(Communicator& parent, const Group& group, int tag, Communicator** made) {
  if (Error error = check_open(parent)) return error;
  *made = nullptr;
  if (group.rank == MPI_UNDEFINED) return MPI_SUCCESS;
  auto* ranks = static_cast<std::int32_t*>(
      std::malloc(static_cast<std::size_t>(group.size) * sizeof(std::int32_t)));
  if (!ranks) return no_memory();
  for (std::int32_t i = 0; i < group.size; ++i)
    ranks[i] = parent.local->rank_of(group.processes[i]);
  auto& shared = const_cast<Group&>(group);
  retain(shared);
  Communicator* prepared = nullptr;
  Error error = prepare_communicator(&shared, nullptr, &parent, &prepared);
  if (!error) {
    prepared->made_from = &parent;
    // The messages are the new one's, so that of the parent's ranks only these are needed.
    message::Context context = parent.collective;
    context.owner = prepared;
    // The user's tag keeps concurrent creations apart. With the members it keeps this one apart
    // from an earlier one that has failed, of which messages may be left.
    const std::uint32_t number = static_cast<std::uint32_t>(tag) ^ number_of_members(group);
    const Members members{&context, own_tag(TagKind::group, number), group.size, group.rank, ranks};
    error = open_by_agreement(members, *prepared, made);
  }
  std::free(ranks);
  return error;
}

int color_by(const Communicator& parent, Resource resource) {
  std::int32_t instance = instance_at(parent.local->processes[parent.rank()], resource);
  return instance < 0 ? MPI_UNDEFINED : instance;
}

bool find_dividing(const Communicator& parent, Resource* resource) {
  std::int32_t ranks = parent.is_inter() ? parent.both->size : parent.size();
  auto instance = [&](std::int32_t member, Resource kind) {
    return instance_at(process_at(parent, member), kind);
  };
  return find_dividing_resource(ranks, instance, resource);
}

}  // namespace baton::world
