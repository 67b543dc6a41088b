#include "world/process_set.hpp"

#include <strings.h>

#include "message/core/engine.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

constexpr const char* world_set = "mpi://WORLD";
constexpr const char* self_set = "mpi://SELF";
constexpr const char* set_names[] = {world_set, self_set};

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

}  // namespace

const char* process_set_name(int place) {
  return place >= 0 && place < 2 ? set_names[place] : nullptr;
}

std::int32_t process_set_size(const char* name) {
  if (names(name, world_set)) return static_cast<std::int32_t>(message::engine.ranks);
  return names(name, self_set) ? 1 : -1;
}

Group* process_set_group(const char* name, Session* session) {
  std::int32_t size = process_set_size(name);
  if (size < 0) return nullptr;
  Group* group = new_group(size);
  if (!group) return nullptr;
  for (std::int32_t i = 0; i < size; ++i) group->processes[i] = static_cast<Process>(i);
  if (names(name, self_set)) group->processes[0] = message::engine.self;
  finish_group(*group);
  belong_to(*group, session);
  return group;
}

Error create_from_group(Group& group, const char* text, ErrorHandler& handler,
                        Communicator** made) {
  *made = nullptr;
  message::Context context;
  if (Error error = fill_job_context(context)) return error;
  Members members{&context,   own_tag(TagKind::name, tag_of(group, text)),
                  group.size, group.rank,
                  nullptr,    group.processes};
  std::uint32_t id = 0;
  if (Error error = agree_context_id(members, &id)) return error;
  retain(group);
  if (Error error = make_communicator(&group, nullptr, id, nullptr, made)) return error;
  attach_error_handler((*made)->errors, &handler);
  return MPI_SUCCESS;
}

}  // namespace baton::world
