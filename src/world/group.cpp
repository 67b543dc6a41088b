#include "world/group.hpp"

#include <cstdlib>
#include <new>

#include "message/core/engine.hpp"
#include "message/meet.hpp"
#include "world/session.hpp"

namespace baton::world {

constinit GroupTable groups;

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a group");
}

// Makes the group of those members of `from` that `keep(index)` selects.
template <class Keep>
Error select(const Group& from, Keep keep, Group** made) {
  Group* group = new_group(from.size);
  if (!group) return no_memory();
  belong_to(*group, from.session);
  std::int32_t used = 0;
  for (std::int32_t i = 0; i < from.size; ++i)
    if (keep(i)) group->processes[used++] = from.processes[i];
  group->size = used;
  finish_group(*group);
  *made = group;
  return publish_group(*group);
}

bool contains(const Group& group, Process process) {
  return group.rank_of(process) != MPI_UNDEFINED;
}

}  // namespace

std::int32_t Group::rank_of(Process process) const {
  if (identity) {
    const auto number = static_cast<std::int32_t>(number_of(process));
    return number < size ? number : MPI_UNDEFINED;
  }
  for (std::int32_t i = 0; i < size; ++i)
    if (processes[i] == process) return i;
  return MPI_UNDEFINED;
}

Group* new_group(std::int32_t size) {
  std::size_t extra = size > 1 ? static_cast<std::size_t>(size - 1) * sizeof(Process) : 0;
  void* memory = std::malloc(sizeof(Group) + extra);
  if (!memory) return nullptr;
  auto* group = new (memory) Group;
  group->size = size;
  return group;
}

void belong_to(Group& group, Session* session) {
  group.session = session;
  if (session) retain(*session);
}

void finish_group(Group& group) {
  group.identity = true;
  for (std::int32_t i = 0; i < group.size; ++i) {
    group.identity &= group.processes[i] == static_cast<Process>(i);
    if (message::is_of_own_job(group.processes[i])) continue;
    group.spans_jobs = true;
    message::hold_met(group.processes[i]);
  }
  group.rank = group.rank_of(message::engine.self);
}

Error publish_group(Group& group) {
  if (group.handle != MPI_GROUP_NULL) return MPI_SUCCESS;
  group.handle = groups.add(&group);
  if (group.handle) return MPI_SUCCESS;
  group.handle = MPI_GROUP_NULL;
  return no_memory();
}

void release(Group& group) {
  if (&group == groups.find(MPI_GROUP_EMPTY)) return;
  // ORDER group.references: release by each, acquire by the last; all uses are over.
  if (group.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (group.session) release(*group.session);
  for (std::int32_t i = 0; group.spans_jobs && i < group.size; ++i)
    if (!message::is_of_own_job(group.processes[i])) message::let_go_met(group.processes[i]);
  std::free(&group);
}

void make_empty_group() {
  Group* empty = new_group(0);
  BATON_INVARIANT(empty != nullptr);
  empty->identity = true;
  empty->handle = MPI_GROUP_EMPTY;
  groups.set_predefined(MPI_GROUP_EMPTY, empty);
}

Error group_union(const Group& a, const Group& b, Group** made) {
  Group* group = new_group(a.size + b.size);
  if (!group) return no_memory();
  belong_to(*group, a.session);
  std::int32_t used = 0;
  for (std::int32_t i = 0; i < a.size; ++i) group->processes[used++] = a.processes[i];
  for (std::int32_t i = 0; i < b.size; ++i)
    if (!contains(a, b.processes[i])) group->processes[used++] = b.processes[i];
  group->size = used;
  finish_group(*group);
  *made = group;
  return publish_group(*group);
}

Error group_intersection(const Group& a, const Group& b, Group** made) {
  return select(a, [&](auto i) { return contains(b, a.processes[i]); }, made);
}

Error group_difference(const Group& a, const Group& b, Group** made) {
  return select(a, [&](auto i) { return !contains(b, a.processes[i]); }, made);
}

Error group_include(const Group& group, const int* ranks, int count, Group** made) {
  Group* picked = new_group(count);
  if (!picked) return no_memory();
  belong_to(*picked, group.session);
  for (int i = 0; i < count; ++i) picked->processes[i] = group.processes[ranks[i]];
  finish_group(*picked);
  *made = picked;
  return publish_group(*picked);
}

Error group_exclude(const Group& group, const int* ranks, int count, Group** made) {
  auto excluded = [&](std::int32_t rank) {
    for (int i = 0; i < count; ++i)
      if (ranks[i] == rank) return true;
    return false;
  };
  return select(group, [&](auto i) { return !excluded(i); }, made);
}

int compare_groups(const Group& a, const Group& b) {
  if (a.size != b.size) return MPI_UNEQUAL;
  bool same_order = true;
  for (std::int32_t i = 0; i < a.size; ++i) {
    same_order &= a.processes[i] == b.processes[i];
    if (!contains(b, a.processes[i])) return MPI_UNEQUAL;
  }
  return same_order ? MPI_IDENT : MPI_SIMILAR;
}

const char* memory_kinds_of(const Group& group) {
  return group.session ? group.session->memory_kinds : all_memory_kinds;
}

}  // namespace baton::world
