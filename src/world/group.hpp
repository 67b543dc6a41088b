// Groups are ordered sets of processes. They are immutable once made, and shared by reference
// counting.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "base/identity.hpp"

namespace baton::world {

class Session;

struct Group {
  MPI_Group handle = MPI_GROUP_NULL;  // null while only communicators hold it
  std::int32_t size = 0;
  std::int32_t rank = MPI_UNDEFINED;  // our rank in it
  bool identity = false;              // rank i is process i
  bool spans_jobs = false;            // has processes of other jobs, which it keeps known
  Session* session = nullptr;  // the session from which it was made; held. Null: of the world model
  std::atomic<std::int32_t> references{1};
  Process processes[1];  // as many as `size`

  // Returns the rank of a process in this group, or MPI_UNDEFINED.
  std::int32_t rank_of(Process process) const;
};

using GroupTable = HandleTable<Group, HandleTag::group>;
extern GroupTable groups;

// Makes a group without a handle, its members still to be filled in; finish_group completes it.
// Null when memory is short.
Group* new_group(std::int32_t size);
// Returns the memory kinds of the session that a group comes from.
const char* memory_kinds_of(const Group& group);
// Records the session from which a group comes. It is called once.
void belong_to(Group& group, Session* session);
void finish_group(Group& group);

// Gives a group a handle for the user. Error: MPI_ERR_NO_MEM, explained.
Error publish_group(Group& group);

inline void retain(Group& group) {
  // relaxed: the caller already holds a reference.
  group.references.fetch_add(1, std::memory_order_relaxed);
}
void release(Group& group);

// Makes MPI_GROUP_EMPTY. It is called once.
void make_empty_group();

// These are the set operations of the standard (chapter "Groups, Contexts, Communicators"). The
// result has a handle; an empty one is MPI_GROUP_EMPTY's.
Error group_union(const Group& a, const Group& b, Group** made);
Error group_intersection(const Group& a, const Group& b, Group** made);
Error group_difference(const Group& a, const Group& b, Group** made);
// The ranks are valid and differ (checked by the caller).
Error group_include(const Group& group, const int* ranks, int count, Group** made);
Error group_exclude(const Group& group, const int* ranks, int count, Group** made);
// Returns MPI_IDENT, MPI_SIMILAR or MPI_UNEQUAL.
int compare_groups(const Group& a, const Group& b);

}  // namespace baton::world

namespace baton {
using world::Group;
}
