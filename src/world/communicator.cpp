#include "world/communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/engine.hpp"
#include "world/agree/agree.hpp"
#include "world/context_id.hpp"
#include "world/room.hpp"
#include "world/session.hpp"

namespace baton::world {

CommunicatorTable communicators;

namespace {

Communicator* the_world = nullptr;
Communicator* the_self = nullptr;

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a communicator");
}

Error fill_context(message::Context& context, Communicator& owner, message::Plane plane) {
  context.send_id = owner.id * message::plane_count + static_cast<std::uint32_t>(plane);
  context.receive_id = context.send_id;
  context.rank = owner.local->rank;
  context.size = owner.local->size;
  context.job_ranks = owner.local->identity ? nullptr : owner.local->job_ranks;
  context.queue = message::queue_for(context.receive_id);
  context.owner = &owner;
  context.usage = &owner.usage;
  context.buffer = &owner.buffer;
  context.session_buffer = owner.local->session ? &owner.local->session->buffer : nullptr;
  return context.queue ? MPI_SUCCESS : no_memory();
}

void dispose(Communicator* communicator) {
  attach_error_handler(communicator->errors, nullptr);
  if (communicator->local) release(*communicator->local);
  if (communicator->remote) release(*communicator->remote);
  delete communicator;
}

// The end of a freed communicator: no request uses it any more.
void dispose_freed(void* owner) {
  auto* communicator = static_cast<Communicator*>(owner);
  message::drop_queue(communicator->point_to_point.receive_id);
  message::drop_queue(communicator->collective.receive_id);
  free_context_id(communicator->id);
  dispose(communicator);
}

Communicator* make_predefined(MPI_Comm handle, const char* name, std::uint32_t id, Group* group) {
  Communicator* made = nullptr;
  if (!group || make_communicator(group, id, nullptr, &made) != MPI_SUCCESS) return nullptr;
  communicators.remove(made->handle);
  made->handle = handle;
  made->errors.mpi_handle = handle;
  std::snprintf(made->name, sizeof made->name, "%s", name);
  communicators.set_predefined(handle, made);
  return made;
}

}  // namespace

Error make_communicator(Group* group, std::uint32_t id, const Communicator* parent,
                        Communicator** made) {
  auto* communicator = new (std::nothrow) Communicator;
  if (!communicator) {
    release(*group);
    return no_memory();
  }
  communicator->local = group;
  communicator->id = id;
  communicator->usage = {1, false, dispose_freed, communicator};
  Error error =
      fill_context(communicator->point_to_point, *communicator, message::Plane::point_to_point);
  if (!error)
    error = fill_context(communicator->collective, *communicator, message::Plane::collective);
  if (!error) communicator->handle = communicators.add(communicator);
  if (error || communicator->handle == nullptr) {
    dispose(communicator);
    return error ? error : no_memory();
  }
  communicator->errors.kind = ObjectKind::comm;
  communicator->errors.mpi_handle = communicator->handle;
  if (parent) attach_error_handler(communicator->errors, parent->errors.handler);
  *made = communicator;
  return MPI_SUCCESS;
}

Error make_world_and_self(std::uint32_t ranks, std::uint32_t rank) {
  Group* all = new_group(static_cast<std::int32_t>(ranks));
  Group* alone = new_group(1);
  if (!all || !alone) return no_memory();
  for (std::uint32_t i = 0; i < ranks; ++i) all->job_ranks[i] = static_cast<std::int32_t>(i);
  alone->job_ranks[0] = static_cast<std::int32_t>(rank);
  finish_group(*all, static_cast<std::int32_t>(rank));
  finish_group(*alone, static_cast<std::int32_t>(rank));
  the_world = make_predefined(MPI_COMM_WORLD, "MPI_COMM_WORLD", world_context, all);
  the_self = make_predefined(MPI_COMM_SELF, "MPI_COMM_SELF", self_context, alone);
  return the_world && the_self ? MPI_SUCCESS : no_memory();
}

void free_world_and_self() {
  for (Communicator** one : {&the_world, &the_self}) {
    communicators.set_predefined((*one)->handle, nullptr);
    forget_attributes((*one)->attributes);
    dispose(*one);
    *one = nullptr;
  }
}

Communicator* world_communicator() {
  return the_world;
}
Communicator* self_communicator() {
  return the_self;
}

Error duplicate(Communicator& parent, bool with_attributes, Communicator** made) {
  std::uint32_t id = 0;
  if (Error error = agree_context_id(parent.collective, agreement_tag, &id)) return error;
  retain(*parent.local);
  if (Error error = make_communicator(parent.local, id, &parent, made)) return error;
  if (!with_attributes) return MPI_SUCCESS;
  Error error = copy_attributes(parent.attributes, parent.handle, (*made)->attributes);
  if (!error) return MPI_SUCCESS;
  (void)free_communicator(**made);
  *made = nullptr;
  return error;
}

namespace {

struct Place {
  std::int32_t color, key, rank;
};

// The members of our color, ordered by key and then by rank in the parent.
Group* group_of_color(const Communicator& parent, Place* places, std::int32_t color) {
  auto* end = std::stable_partition(places, places + parent.size(),
                                    [&](const Place& place) { return place.color == color; });
  std::stable_sort(places, end, [](const Place& a, const Place& b) { return a.key < b.key; });
  Group* group = new_group(static_cast<std::int32_t>(end - places));
  if (!group) return nullptr;
  belong_to(*group, parent.local->session);
  for (Place* place = places; place != end; ++place)
    group->job_ranks[place - places] = parent.local->job_ranks[place->rank];
  finish_group(*group, static_cast<std::int32_t>(message::engine.rank));
  return group;
}

}  // namespace

Error split(Communicator& parent, int color, int key, Communicator** made) {
  *made = nullptr;
  auto size = static_cast<std::size_t>(parent.size());
  auto* places = static_cast<Place*>(std::malloc(size * sizeof(Place)));
  if (!places) return no_memory();
  Place mine{color, key, parent.rank()};
  Error error = agree_allgather(parent.collective, agreement_tag, &mine, sizeof mine, places);
  // One id serves all colors: their groups do not overlap.
  std::uint32_t id = 0;
  if (!error) error = agree_context_id(parent.collective, agreement_tag, &id);
  Group* group = nullptr;
  if (!error && color != MPI_UNDEFINED) {
    group = group_of_color(parent, places, color);
    error = group ? make_communicator(group, id, &parent, made) : no_memory();
  } else if (!error) {
    free_context_id(id);
  }
  std::free(places);
  return error;
}

Error split_by_node(Communicator& parent, bool take_part, int key, Communicator** made) {
  // A job has one node: all that take part share its memory.
  return split(parent, take_part ? 0 : MPI_UNDEFINED, key, made);
}

Error create(Communicator& parent, const Group& group, Communicator** made) {
  *made = nullptr;
  std::uint32_t id = 0;
  if (Error error = agree_context_id(parent.collective, agreement_tag, &id)) return error;
  if (group.rank == MPI_UNDEFINED) {
    free_context_id(id);
    return MPI_SUCCESS;
  }
  auto& members = const_cast<Group&>(group);
  retain(members);
  return make_communicator(&members, id, &parent, made);
}

Error create_from_members(Communicator& parent, const Group& group, int tag, Communicator** made) {
  *made = nullptr;
  if (group.rank == MPI_UNDEFINED) return MPI_SUCCESS;
  auto& members = const_cast<Group&>(group);
  message::Context among = parent.collective;
  among.rank = group.rank;
  among.size = group.size;
  among.job_ranks = group.job_ranks;
  // The user's tag keeps concurrent creations apart; below the agreements that all of a parent
  // make.
  std::int32_t own_tag = agreement_tag - 1 - (tag & 0x3fffffff);
  std::uint32_t id = 0;
  if (Error error = agree_context_id(among, own_tag, &id)) return error;
  retain(members);
  return make_communicator(&members, id, &parent, made);
}

Error free_communicator(Communicator& communicator) {
  if (Error error = delete_attributes(communicator.attributes, communicator.handle)) return error;
  leave_room(communicator);
  // Messages still in its buffer keep it alive.
  MPI_Request flush = MPI_REQUEST_NULL;
  if (communicator.buffer.attached())
    if (Error error = communicator.buffer.start_flush(&communicator.point_to_point, &flush))
      return error;
  if (message::Request* waiting = message::requests.find(flush))
    if (message::give_up(*waiting)) message::release_request(*waiting);
  communicators.remove(communicator.handle);
  communicator.usage.freed = true;
  message::drop_usage(&communicator.usage);
  return MPI_SUCCESS;
}

int compare(const Communicator& a, const Communicator& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  int groups_compare = compare_groups(*a.local, *b.local);
  return groups_compare == MPI_IDENT ? MPI_CONGRUENT : groups_compare;
}

}  // namespace baton::world
