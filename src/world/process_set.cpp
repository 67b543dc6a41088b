#include "world/process_set.hpp"

#include <strings.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <vector>

#include "message/core/engine.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

constexpr const char* world_set = "mpi://WORLD";
constexpr const char* self_set = "mpi://SELF";
constexpr const char* set_names[] = {world_set, self_set};
constexpr int own_sets = 2;

// A set that is the remote group of an intercommunicator.
struct MetSet {
  MPI_Comm inter;
  char name[process_set_name_max];
};

class MetSets {
 public:
  void add(const Communicator& inter, const char* name) {
    std::lock_guard guard(lock_);
    std::erase_if(sets_, [](const MetSet& set) { return !communicators.find(set.inter); });
    MetSet& set = sets_.emplace_back(MetSet{inter.handle, {}});
    std::snprintf(set.name, sizeof set.name, "%s", name);
  }
  // Calls `take(group)` for the set of this name; false: there is none.
  template <class Take>
  bool with(const char* name, Take&& take) {
    return any([&](const MetSet& set, const Group& group) {
      if (std::strcmp(set.name, name) != 0) return false;
      take(group);
      return true;
    });
  }
  // Calls `look(set, group)` for the sets that there are, until it returns true.
  template <class Look>
  bool any(Look&& look) {
    std::lock_guard guard(lock_);
    return std::ranges::any_of(sets_, [&](const MetSet& set) {
      const Communicator* inter = communicators.find(set.inter);
      return inter && look(set, *inter->remote);
    });
  }

 private:
  std::mutex lock_;
  std::vector<MetSet> sets_;
};
MetSets met_sets;

// Compares names. The standard compares the names of its own sets without regard to case.
bool names(const char* name, const char* set) {
  return ::strcasecmp(name, set) == 0;
}

// Returns a number for agreements among these ranks: FNV-1a over text and members, so that
// concurrent creations differ.
std::uint32_t tag_of(const Group& group, const char* text) {
  std::uint32_t hash = 2166136261u;
  auto mix = [&](unsigned char byte) { hash = (hash ^ byte) * 16777619u; };
  for (; *text; ++text) mix(static_cast<unsigned char>(*text));
  for (std::int32_t i = 0; i < group.size; ++i)
    for (int shift = 0; shift < 32; shift += 8)
      mix(static_cast<unsigned char>(message::world_rank(group.processes[i]) >> shift));
  return hash;
}

// Makes the group of a set of this job.
Group* own_set_group(const char* name) {
  const bool alone = names(name, self_set);
  if (!alone && !names(name, world_set)) return nullptr;
  Group* group = new_group(alone ? 1 : static_cast<std::int32_t>(message::engine.ranks));
  if (!group) return nullptr;
  for (std::int32_t i = 0; i < group->size; ++i) group->processes[i] = static_cast<Process>(i);
  if (alone) group->processes[0] = message::engine.self;
  finish_group(*group);
  return group;
}

}  // namespace

void add_parent_set(const Communicator& inter) {
  met_sets.add(inter, "baton://PARENT");
}

void add_spawned_set(const Communicator& inter) {
  char name[process_set_name_max];
  std::snprintf(name, sizeof name, "baton://JOB/%u",
                static_cast<unsigned>(message::id_of(inter.remote->processes[0]).job));
  met_sets.add(inter, name);
}

bool process_set_name(int place, char (&name)[process_set_name_max]) {
  if (place < 0) return false;
  if (place < own_sets) {
    std::snprintf(name, sizeof name, "%s", set_names[place]);
    return true;
  }
  int left = place - own_sets;
  return met_sets.any([&](const MetSet& set, const Group&) {
    if (left-- > 0) return false;
    std::copy_n(set.name, sizeof set.name, name);
    return true;
  });
}

std::int32_t process_set_size(const char* name) {
  if (names(name, world_set)) return static_cast<std::int32_t>(message::engine.ranks);
  if (names(name, self_set)) return 1;
  std::int32_t size = -1;
  met_sets.with(name, [&size](const Group& group) { size = group.size; });
  return size;
}

Group* process_set_group(const char* name, Session* session) {
  Group* group = nullptr;
  met_sets.with(name, [&group](const Group& met) {
    group = new_group(met.size);
    if (!group) return;
    std::copy_n(met.processes, met.size, group->processes);
    finish_group(*group);  // which holds its processes, before the set can go
  });
  if (!group) group = own_set_group(name);
  if (!group) return nullptr;
  belong_to(*group, session);
  return group;
}

Error create_from_group(Group& group, const char* text, ErrorHandler& handler,
                        Communicator** made) {
  *made = nullptr;
  message::Context context;
  Members members;
  const std::int32_t tag = own_tag(TagKind::name, tag_of(group, text));
  if (Error error = fill_group_context(group, tag, context, members)) return error;
  retain(group);
  Communicator* prepared = nullptr;
  if (Error error = prepare_communicator(&group, nullptr, nullptr, &prepared)) return error;
  context.owner = prepared;
  if (Error error = open_by_agreement(members, *prepared, made)) return error;
  attach_error_handler((*made)->errors, &handler);
  return MPI_SUCCESS;
}

}  // namespace baton::world
