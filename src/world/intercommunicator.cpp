#include "world/intercommunicator.hpp"

#include <algorithm>
#include <cstdlib>

#include "message/core/engine.hpp"
#include "message/core/point_to_point.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for an intercommunicator");
}

// The leaders send this to each other first, then their groups.
struct Greeting {
  std::int32_t error;
  std::int32_t size;       // of the group that follows
  std::uint32_t pairings;  // intercommunicators that the leader has made
};

// A group's processes in the form that all know them by, which travels between ranks. The object
// frees them.
class TravellingGroup {
 public:
  explicit TravellingGroup(std::int32_t size)
      : size_(size),
        ids_(static_cast<ProcessId*>(std::malloc(static_cast<std::size_t>(bytes())))) {}
  ~TravellingGroup() { std::free(ids_); }
  TravellingGroup(const TravellingGroup&) = delete;
  TravellingGroup& operator=(const TravellingGroup&) = delete;

  ProcessId* ids() { return ids_; }  // null: no memory
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(ProcessId)); }
  void take(const Group& group) {
    std::transform(group.processes, group.processes + size_, ids_, message::id_of);
  }
  void give(Group& group) const {
    std::transform(ids_, ids_ + size_, group.processes, message::process_of);
  }

 private:
  std::int32_t size_;
  ProcessId* ids_;
};

// Returns a number by which both sides of a pairing decide which side comes first.
std::uint64_t number_for_all(ProcessId id) {
  return static_cast<std::uint64_t>(id.job) << 32 | number_of(id.rank);
}

// Exchanges greetings and groups between the two leaders.
Error meet(const Communicator& local, const Bridge& bridge, Greeting* greeting, Group** remote) {
  Datatype& bytes = *datatype::datatypes.find(MPI_BYTE);
  const message::Context& context = bridge.peer->collective;
  std::int32_t tag = own_tag(TagKind::leaders, static_cast<std::uint32_t>(bridge.tag));
  Greeting mine{MPI_SUCCESS, local.size(), context_ids.next_pairing()};
  Error error =
      message::exchange(context, &mine, sizeof mine, bytes, bridge.remote_leader, tag, greeting,
                        sizeof *greeting, bytes, bridge.remote_leader, tag, nullptr);
  if (error) return error;
  *remote = new_group(greeting->size);
  if (!*remote) return no_memory();
  TravellingGroup ours(local.size()), theirs(greeting->size);
  if (!ours.ids() || !theirs.ids()) return no_memory();
  ours.take(*local.local);
  error =
      message::exchange(context, ours.ids(), ours.bytes(), bytes, bridge.remote_leader, tag,
                        theirs.ids(), theirs.bytes(), bytes, bridge.remote_leader, tag, nullptr);
  if (error) return error;
  theirs.give(**remote);
  // Both sides give this pairing the same name: after the side that comes first.
  const std::uint64_t own_first = number_for_all(ours.ids()[0]);
  const std::uint64_t their_first = number_for_all(theirs.ids()[0]);
  const bool first = own_first < their_first;
  const std::uint64_t number = first ? mine.pairings : greeting->pairings;
  greeting->pairings =
      static_cast<std::uint32_t>(scramble(scramble(first ? own_first : their_first) + number));
  return MPI_SUCCESS;
}

// Passes the greeting and the remote group from the leader on to the other members.
Error pass_on(const Members& members, std::int32_t leader, Greeting* greeting, Group** remote) {
  if (Error error = agree_broadcast(members, leader, greeting, sizeof *greeting)) return error;
  if (greeting->error) {
    if (members.position == leader) return greeting->error;  // explained already
    return fail(greeting->error, "the local leader (rank %d) gave up on the remote group", leader);
  }
  if (!*remote) *remote = new_group(greeting->size);
  if (!*remote) return no_memory();
  TravellingGroup theirs(greeting->size);
  if (!theirs.ids()) return no_memory();
  if (members.position == leader) theirs.take(**remote);
  if (Error error = agree_broadcast(members, leader, theirs.ids(), theirs.bytes())) return error;
  theirs.give(**remote);
  finish_group(**remote);
  return MPI_SUCCESS;
}

bool overlap(const Group& a, const Group& b) {
  for (std::int32_t i = 0; i < a.size; ++i)
    if (b.rank_of(a.processes[i]) != MPI_UNDEFINED) return true;
  return false;
}

// Agrees on an id, once both sides know both groups. Takes the reference of `remote`.
Error pair(const Group& local, Group* remote, std::int32_t tag, const Communicator* parent,
           Communicator** made) {
  if (overlap(local, *remote)) {
    release(*remote);
    return fail(MPI_ERR_COMM,
                "the local and the remote group overlap; between groups every process is on one "
                "side only");
  }
  belong_to(*remote, local.session);
  auto& shared = const_cast<Group&>(local);
  retain(shared);
  Communicator* prepared = nullptr;
  if (Error error = prepare_communicator(&shared, remote, parent, &prepared)) return error;
  const Group& both = *prepared->both;
  message::Context context;
  std::uint32_t id = 0;
  Error error = fill_job_context(context);
  if (!error)
    error = agree_context_id({&context, tag, both.size, both.rank, nullptr, both.processes}, &id);
  if (error) {
    abandon_communicator(*prepared);
    return error;
  }
  error = open_communicator(*prepared, id);
  if (!error) *made = prepared;
  return error;
}

}  // namespace

Error create_intercommunicator(Communicator& local, int leader, const Bridge& bridge,
                               Communicator** made) {
  if (Error error = check_open(local)) return error;
  Greeting greeting{bridge.problem, 0, 0};
  Group* remote = nullptr;
  if (local.rank() == leader && !bridge.problem)
    greeting.error = meet(local, bridge, &greeting, &remote);
  Error error = pass_on(local.members(agreement_tag), leader, &greeting, &remote);
  if (error) {
    if (remote) release(*remote);
    return error;
  }
  return pair(*local.local, remote, own_tag(TagKind::pairing, greeting.pairings), &local, made);
}

Error create_intercommunicator_from_groups(const Group& local, int leader, const Group* remote,
                                           Error problem, const char* name, Communicator** made) {
  std::uint64_t number = 0;
  for (const char* c = name; *c; ++c) number = scramble(number + static_cast<unsigned char>(*c));
  std::int32_t tag = own_tag(TagKind::name, static_cast<std::uint32_t>(number));
  message::Context context;
  if (Error error = fill_job_context(context)) return error;
  Members members{&context, tag, local.size, local.rank, nullptr, local.processes};
  Greeting greeting{problem, 0, 0};
  Group* copy = nullptr;
  if (local.rank == leader && !problem) {
    greeting.size = remote->size;
    copy = new_group(remote->size);
    if (copy) std::copy_n(remote->processes, remote->size, copy->processes);
    if (!copy) greeting.error = no_memory();
  }
  Error error = pass_on(members, leader, &greeting, &copy);
  if (error) {
    if (copy) release(*copy);
    return error;
  }
  return pair(local, copy, tag, nullptr, made);
}

Error merge(Communicator& inter, bool high, Communicator** made) {
  if (Error error = check_open(inter)) return error;
  const Group& both = *inter.both;
  Members members = inter.members(agreement_tag);
  auto* highs = static_cast<bool*>(std::malloc(static_cast<std::size_t>(both.size)));
  if (!highs) return no_memory();
  Error error = agree_allgather(members, &high, 1, highs);
  bool local_first = both.processes[0] == inter.local->processes[0];
  std::int32_t first_size = local_first ? inter.size() : inter.remote_size();
  bool first_high = highs[0], second_high = highs[first_size];
  bool agreed =
      std::all_of(highs, highs + first_size, [&](bool h) { return h == first_high; }) &&
      std::all_of(highs + first_size, highs + both.size, [&](bool h) { return h == second_high; });
  std::free(highs);
  if (error) return error;
  if (!agreed)
    return fail(MPI_ERR_ARG,
                "argument 2 (high): the processes of one group gave different values; each group "
                "has to agree on its own");
  std::uint32_t id = 0;
  if ((error = agree_context_id(members, &id))) return error;
  Group* group = new_group(both.size);
  if (!group) {
    context_ids.give_back(id);
    return no_memory();
  }
  belong_to(*group, inter.local->session);
  bool swap = first_high && !second_high;
  std::rotate_copy(both.processes, both.processes + (swap ? first_size : 0),
                   both.processes + both.size, group->processes);
  finish_group(*group);
  return make_communicator(group, nullptr, id, &inter, made);
}

}  // namespace baton::world
