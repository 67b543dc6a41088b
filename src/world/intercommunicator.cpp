#include "world/intercommunicator.hpp"

#include <algorithm>
#include <cstdlib>

#include "message/core/point_to_point.hpp"
#include "message/meet.hpp"
#include "platform/random.hpp"
#include "world/acquaint.hpp"
#include "world/context_id.hpp"

namespace baton::world {

namespace {

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for an intercommunicator");
}

// The leaders send this to each other first, then their groups.
struct Greeting {
  std::int32_t error;
  std::int32_t size;            // of the group that follows
  std::uint32_t pairings;       // intercommunicators that the leader has made
  std::int32_t meets;           // processes of several jobs are among them
  platform::HostIdentity host;  // of the leader
};

// Exchanges greetings and groups between the two leaders.
Error introduce(const Communicator& local, LeaderChannel& channel, Greeting* greeting,
                TravellingGroup& remote) {
  Greeting mine{MPI_SUCCESS, local.size(), context_ids.next_pairing(), false, own_host()};
  if (Error error = channel.exchange(&mine, sizeof mine, greeting, sizeof *greeting)) return error;
  TravellingGroup ours;
  if (!ours.resize(local.size()) || !remote.resize(greeting->size)) return no_memory();
  ours.take(*local.local);
  if (Error error = channel.exchange(ours.ids(), ours.bytes(), remote.ids(), remote.bytes()))
    return error;
  greeting->meets = !are_of_one_job(ours, remote);
  // Both sides give this pairing the same name: after the side that comes first.
  const std::uint64_t own_first = number_for_all(ours.ids()[0]);
  const std::uint64_t their_first = number_for_all(remote.ids()[0]);
  const bool first = own_first < their_first;
  const std::uint64_t number = first ? mine.pairings : greeting->pairings;
  greeting->pairings =
      static_cast<std::uint32_t>(scramble(scramble(first ? own_first : their_first) + number));
  return MPI_SUCCESS;
}

// Passes the greeting and the remote group from the leader on to the other members.
Error pass_on(const Members& members, std::int32_t leader, Greeting* greeting,
              TravellingGroup& remote) {
  if (Error error = agree_broadcast(members, leader, greeting, sizeof *greeting)) return error;
  if (greeting->error) {
    if (members.position == leader) return greeting->error;  // explained already
    return fail(greeting->error, "the local leader (rank %d) gave up on the remote group", leader);
  }
  if (members.position != leader && !remote.resize(greeting->size)) return no_memory();
  return agree_broadcast(members, leader, remote.ids(), remote.bytes());
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
  prepared->made_from = parent;
  message::Context context;
  Members members;
  if (Error error = fill_group_context(*prepared->both, tag, context, members)) {
    abandon_communicator(*prepared);
    return error;
  }
  context.owner = prepared;
  return open_by_agreement(members, *prepared, made);
}

}  // namespace

Error PeerChannel::exchange(const void* mine, std::int64_t bytes, void* theirs,
                            std::int64_t their_bytes) {
  Datatype& type = *datatype::datatypes.find(MPI_BYTE);
  const std::int32_t tag = own_tag(TagKind::leaders, static_cast<std::uint32_t>(tag_));
  return message::exchange(peer_.collective, mine, bytes, type, remote_leader_, tag, theirs,
                           their_bytes, type, remote_leader_, tag, nullptr);
}

Error PeerChannel::agree_key(Key* key) {
  const Process other = peer_.collective.process(remote_leader_);
  const Key own{platform::random_word(), platform::random_word()};
  const message::HiddenKey mine = message::hide_key(other, own);
  message::HiddenKey theirs{};
  if (Error error = exchange(&mine, sizeof mine, &theirs, sizeof theirs)) return error;
  const Key its = message::reveal_key(other, theirs);
  *key = {own.low ^ its.low, own.high ^ its.high};
  return MPI_SUCCESS;
}

Error create_intercommunicator(Communicator& local, int leader, LeaderChannel* channel,
                               Error problem, Communicator** made) {
  if (Error error = check_open(local)) return error;
  Greeting greeting{problem, 0, 0, false, {}};
  TravellingGroup remote;
  const bool leads = local.rank() == leader;
  if (leads && !problem) greeting.error = introduce(local, *channel, &greeting, remote);
  const Members members = local.members(agreement_tag);
  if (Error error = pass_on(members, leader, &greeting, remote)) return error;
  Group* group = nullptr;
  const MeetingSide side{members, leader, leads ? channel : nullptr, greeting.host};
  if (Error error =
          greeting.meets ? acquaint(side, remote, &group) : group_of_known(remote, &group))
    return error;
  return pair(*local.local, group, own_tag(TagKind::pairing, greeting.pairings), &local, made);
}

Error create_intercommunicator_from_groups(const Group& local, int leader, const Group* remote,
                                           Error problem, const char* name, Communicator** made) {
  std::uint64_t number = 0;
  for (const char* c = name; *c; ++c) number = scramble(number + static_cast<unsigned char>(*c));
  std::int32_t tag = own_tag(TagKind::name, static_cast<std::uint32_t>(number));
  message::Context context;
  Members members;
  if (Error error = fill_group_context(local, tag, context, members)) return error;
  Greeting greeting{problem, 0, 0, false, {}};
  TravellingGroup travelling;
  if (local.rank == leader && !problem) {
    greeting.size = remote->size;
    if (travelling.resize(remote->size))
      travelling.take(*remote);
    else
      greeting.error = no_memory();
  }
  if (Error error = pass_on(members, leader, &greeting, travelling)) return error;
  Group* group = nullptr;
  if (Error error = group_of_known(travelling, &group)) return error;
  return pair(local, group, tag, nullptr, made);
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
