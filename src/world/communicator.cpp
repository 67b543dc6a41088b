#include "world/communicator.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/queues.hpp"
#include "message/core/requests.hpp"
#include "message/partitioned/partitioned.hpp"
#include "world/context_id.hpp"
#include "world/failure/communicator_key.hpp"
#include "world/failure/failures.hpp"
#include "world/failure/revocation.hpp"
#include "world/node_parts.hpp"
#include "world/session.hpp"

namespace baton::world {

constinit CommunicatorTable communicators;
constinit platform::Lock communicators_lock;

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a communicator");
}

std::uint32_t plane_id(const Communicator& owner, message::Plane plane) {
  return owner.id * message::plane_count + static_cast<std::uint32_t>(plane);
}

// The inner messages of an intercommunicator use the plane of windows, which is free there: a
// window needs a communicator of one group.
constexpr message::Plane inner_plane = message::Plane::one_sided;

// A communicator without an id receives in this context, to which nobody sends.
constexpr std::uint32_t nowhere_context = context_ids_max;

// Fills a context. `addressed`: the group that its ranks mean. Both sides know a communicator by
// the same id.
Error fill_context(message::Context& context, Communicator& owner, message::Plane plane,
                   const Group& addressed) {
  context.send_id = context.receive_id = plane_id(owner, plane);
  context.rank = owner.local->rank;
  context.size = addressed.size;
  context.processes = addressed.identity ? nullptr : addressed.processes;
  context.queue = message::queue_for(context.receive_id);
  context.owner = &owner;
  context.usage = &owner.usage;
  context.buffer = &owner.buffer;
  context.session_buffer = owner.local->session ? &owner.local->session->buffer : nullptr;
  context.promises_host = &owner.hints.promises_host;
  return context.queue ? MPI_SUCCESS : no_memory();
}

Error fill_contexts(Communicator& owner) {
  const Group& addressed = owner.remote ? *owner.remote : *owner.local;
  Error error =
      fill_context(owner.point_to_point, owner, message::Plane::point_to_point, addressed);
  if (error) return error;
  return fill_context(owner.collective, owner, message::Plane::collective, addressed);
}

Error fill_inner_contexts(Communicator& owner) {
  Error error = fill_context(owner.within, owner, inner_plane, *owner.local);
  if (error) return error;
  owner.everyone = owner.within;
  owner.everyone.rank = owner.both->rank;
  owner.everyone.size = owner.both->size;
  owner.everyone.processes = owner.both->processes;
  return MPI_SUCCESS;
}

// Joins both groups; the one whose first process comes first for all goes first. Null when memory
// is short.
Group* join(const Group& local, const Group& remote) {
  const bool local_first = number_for_all(message::id_of(local.processes[0])) <
                           number_for_all(message::id_of(remote.processes[0]));
  const Group& first = local_first ? local : remote;
  const Group& second = local_first ? remote : local;
  Group* both = new_group(local.size + remote.size);
  if (!both) return nullptr;
  std::copy_n(first.processes, first.size, both->processes);
  std::copy_n(second.processes, second.size, both->processes + first.size);
  finish_group(*both);
  return both;
}

void dispose(Communicator* communicator) {
  attach_error_handler(communicator->errors, nullptr);
  for (Group* group : {communicator->local, communicator->remote, communicator->both})
    if (group) release(*group);
  if (communicator->topology) release(*communicator->topology);
  std::free(communicator->machine_groups);
  if (communicator->node_parts) free_node_parts(*communicator->node_parts);
  delete communicator;
}

// Takes it from those that messages about failures find.
void take_out(Communicator& communicator) {
  platform::Guard guard(communicators_lock);
  communicators.remove(communicator.handle);
}

// Returns whether messages of a communicator may still be on their way that nobody has received:
// ranks have died, or have given up what they were about to do.
bool may_have_remains(const Communicator& communicator) {
  if (communicator.failures.is_revoked()) return true;
  if (BATON_LIKELY(!message::has_lost_peers())) return false;
  const Group& members = members_of(communicator);
  return std::any_of(members.processes, members.processes + members.size, [](Process process) {
    const int loss = message::loss_of(process);
    return loss != 0 && loss != message::left_normally;
  });
}

// Ends a freed communicator, when no request uses it any more.
void dispose_freed(void* owner) {
  auto* communicator = static_cast<Communicator*>(owner);
  message::drop_queue(communicator->point_to_point.receive_id);
  message::drop_queue(communicator->collective.receive_id);
  message::drop_queue(message::partitioned::plane_id(communicator->point_to_point.receive_id));
  if (communicator->is_inter()) message::drop_queue(communicator->within.receive_id);
  leave_room(communicator->room);
  // No rank will come back to the rooms of the parts.
  if (const NodeParts* parts = communicator->node_parts)
    for (Communicator* part : {parts->node, parts->column}) {
      leave_room(part->room);
      message::drop_queue(part->collective.receive_id);
    }
  // Remains must not meet the receives of another communicator, so that none gets this id.
  if (!may_have_remains(*communicator)) context_ids.give_back(communicator->id);
  dispose(communicator);
}

Error make_predefined(MPI_Comm handle, const char* name, std::uint32_t id, Group* group) {
  Communicator* made = nullptr;
  if (Error error = make_communicator(group, nullptr, id, nullptr, &made)) return error;
  communicators.remove(made->handle);
  made->handle = handle;
  made->errors.mpi_handle = handle;
  inherit_error_handler(made->errors, error_handling.initial_target);
  std::snprintf(made->name, sizeof made->name, "%s", name);
  communicators.set_predefined(handle, made);
  return MPI_SUCCESS;
}

}  // namespace

Error fill_job_context(message::Context& context) {
  context.send_id = context.receive_id = groups_context * message::plane_count +
                                         static_cast<std::uint32_t>(message::Plane::collective);
  context.rank = static_cast<std::int32_t>(number_of(message::engine.self));
  context.size = static_cast<std::int32_t>(message::engine.ranks);
  context.queue = message::queue_for(context.receive_id);
  return context.queue ? MPI_SUCCESS : no_memory();
}

Error fill_group_context(const Group& group, std::int32_t tag, message::Context& context,
                         Members& members) {
  if (Error error = fill_job_context(context)) return error;
  members = {&context, tag, group.size, group.rank, nullptr, group.processes};
  if (!group.spans_jobs) return MPI_SUCCESS;
  // The numbers of processes differ between jobs, their positions do not.
  context.rank = group.rank;
  context.size = group.size;
  context.processes = group.processes;
  members = all_of(context, tag);
  return MPI_SUCCESS;
}

message::CommunicatorView view_of_communicators() {
  constexpr auto process = [](const void* owner, std::int32_t rank) {
    const message::Context& context = static_cast<const Communicator*>(owner)->point_to_point;
    return rank < context.size ? context.process(rank) : message::engine.self;
  };
  constexpr auto has = [](const void* owner, Process wanted) {
    const auto& communicator = *static_cast<const Communicator*>(owner);
    const Group* remote = communicator.remote;
    return communicator.local->rank_of(wanted) != MPI_UNDEFINED ||
           (remote && remote->rank_of(wanted) != MPI_UNDEFINED);
  };
  constexpr auto is_revoked = [](const void* owner) {
    const auto& communicator = *static_cast<const Communicator*>(owner);
    return communicator.failures.is_revoked() ||
           (communicator.made_from && communicator.made_from->failures.is_revoked());
  };
  constexpr auto has_acknowledged = [](const void* owner, Process process) {
    auto& communicator = *const_cast<Communicator*>(static_cast<const Communicator*>(owner));
    return communicator.failures.has_acknowledged(members_of(communicator).rank_of(process));
  };
  constexpr auto is_cut_off = [](const void* owner) {
    return static_cast<const Communicator*>(owner)->failures.is_cut_off();
  };
  constexpr auto cut_off = [](const void* owner) {
    const_cast<Communicator*>(static_cast<const Communicator*>(owner))->failures.cut_off();
  };
  return {process, has, is_revoked, has_acknowledged, is_cut_off, cut_off};
}

Error refuse_pending() {
  return fail(
      MPI_ERR_COMM,
      "this communicator is not there yet: the request of its MPI_Comm_idup has to complete "
      "first");
}

Error prepare_communicator(Group* local, Group* remote, const Communicator* parent,
                           Communicator** prepared) {
  auto* communicator = new (std::nothrow) Communicator;
  if (!communicator) {
    release(*local);
    if (remote) release(*remote);
    return no_memory();
  }
  communicator->local = local;
  communicator->remote = remote;
  communicator->usage = {1, false, dispose_freed, communicator};
  communicator->room.room.prepare(static_cast<std::uint32_t>(local->size));
  if (remote) communicator->both = join(*local, *remote);
  communicator->id = nowhere_context;
  Error error = remote && !communicator->both ? no_memory() : fill_contexts(*communicator);
  // No rank can be addressed before the communicator has an id.
  communicator->point_to_point.size = communicator->collective.size = 0;
  if (!error) communicator->handle = communicators.add(communicator);
  if (error || communicator->handle == nullptr) {
    dispose(communicator);
    return error ? error : no_memory();
  }
  communicator->errors.kind = ObjectKind::comm;
  communicator->errors.mpi_handle = communicator->handle;
  if (parent) inherit_error_handler(communicator->errors, parent->errors);
  *prepared = communicator;
  return MPI_SUCCESS;
}

Error open_communicator(Communicator& prepared, std::uint32_t id) {
  {
    platform::Guard guard(communicators_lock);
    prepared.id = id;
    prepared.nonce = context_ids.nonce(id);
  }
  Error error = fill_contexts(prepared);
  if (!error && prepared.remote) error = fill_inner_contexts(prepared);
  if (error) {
    abandon_communicator(prepared);
    context_ids.give_back(id);
    return error;
  }
  prepared.pending = false;
  take_early_revocation(prepared);
  return MPI_SUCCESS;
}

Error open_by_agreement(const Members& members, Communicator& prepared, Communicator** made) {
  std::uint32_t id = 0;
  if (Error error = agree_context_id(members, &id)) {
    abandon_communicator(prepared);
    return error;
  }
  prepared.made_from = nullptr;
  if (Error error = open_communicator(prepared, id)) return error;
  *made = &prepared;
  return MPI_SUCCESS;
}

void abandon_communicator(Communicator& prepared) {
  (void)delete_attributes(prepared.attributes, prepared.handle);
  take_out(prepared);
  dispose(&prepared);
}

Error make_communicator(Group* local, Group* remote, std::uint32_t id, const Communicator* parent,
                        Communicator** made) {
  Communicator* communicator = nullptr;
  Error error = prepare_communicator(local, remote, parent, &communicator);
  if (error) {
    context_ids.give_back(id);
    return error;
  }
  error = open_communicator(*communicator, id);
  if (!error) *made = communicator;
  return error;
}

Error make_part(Communicator& owner, message::Plane plane, Group* group, Communicator** made) {
  auto* part = new (std::nothrow) Communicator;
  if (!part) {
    release(*group);
    return no_memory();
  }
  part->local = group;
  part->id = owner.id;
  part->pending = false;
  part->hints = owner.hints;
  part->room.room.prepare(static_cast<std::uint32_t>(group->size));
  if (Error error = fill_context(part->collective, *part, plane, *group)) {
    dispose(part);
    return error;
  }
  // Communication on the part keeps the whole communicator alive.
  part->collective.owner = &owner;
  part->collective.usage = &owner.usage;
  part->collective.promises_host = &owner.hints.promises_host;
  part->point_to_point = part->collective;
  *made = part;
  return MPI_SUCCESS;
}

void free_node_parts(NodeParts& parts) {
  if (parts.node) dispose(parts.node);
  if (parts.column) dispose(parts.column);
  std::free(parts.node_of);
  std::free(parts.number_of);
  std::free(parts.first_of);
  delete &parts;
}

Error make_world_and_self() {
  const std::uint32_t ranks = message::engine.ranks;
  Group* all = new_group(static_cast<std::int32_t>(ranks));
  Group* alone = new_group(1);
  if (!all || !alone) return no_memory();
  for (std::uint32_t i = 0; i < ranks; ++i) all->processes[i] = static_cast<Process>(i);
  alone->processes[0] = message::engine.self;
  finish_group(*all);
  finish_group(*alone);
  Error error = make_predefined(MPI_COMM_WORLD, "MPI_COMM_WORLD", world_context, all);
  if (error) return error;
  return make_predefined(MPI_COMM_SELF, "MPI_COMM_SELF", self_context, alone);
}

void free_world_and_self() {
  for (Communicator* one :
       {communicators.find(MPI_COMM_WORLD), communicators.find(MPI_COMM_SELF)}) {
    {
      platform::Guard guard(communicators_lock);
      communicators.set_predefined(one->handle, nullptr);
    }
    forget_attributes(one->attributes);
    dispose(one);
  }
}

Error free_communicator(Communicator& communicator) {
  if (Error error = check_open(communicator)) return error;
  if (Error error = delete_attributes(communicator.attributes, communicator.handle)) return error;
  // Messages that are still in its buffer keep it alive.
  MPI_Request flush = MPI_REQUEST_NULL;
  if (communicator.buffer.attached())
    if (Error error = communicator.buffer.start_flush(&communicator.point_to_point, &flush))
      return error;
  if (message::Request* waiting = message::requests.find(flush))
    if (message::give_up(*waiting)) message::release_request(*waiting);
  take_out(communicator);
  communicator.usage.freed = true;
  message::drop_usage(&communicator.usage);
  return MPI_SUCCESS;
}

int compare(const Communicator& a, const Communicator& b) {
  if (&a == &b) return MPI_IDENT;
  if (a.is_inter() != b.is_inter()) return MPI_UNEQUAL;
  int result = compare_groups(*a.local, *b.local);
  if (a.is_inter()) {
    int remote = compare_groups(*a.remote, *b.remote);
    if (result == MPI_UNEQUAL || remote == MPI_UNEQUAL) return MPI_UNEQUAL;
    if (remote == MPI_SIMILAR) result = MPI_SIMILAR;
  }
  return result == MPI_IDENT ? MPI_CONGRUENT : result;
}

}  // namespace baton::world
