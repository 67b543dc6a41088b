#include "world/acquaint.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "message/core/engine.hpp"
#include "message/core/point_to_point.hpp"
#include "message/meet.hpp"
#include "platform/memory_file.hpp"
#include "transport/meeting_memory.hpp"
#include "world/leader_channel.hpp"

namespace baton::world {

namespace {

Error lost_leader(Error error) {
  return fail(error, "the leader of this group has lost the other one");
}

// How the other processes find the memory of a meeting: its maker has the file open.
struct Invitation {
  Error error = MPI_SUCCESS;
  std::int32_t maker = 0;  // its process id
  std::int32_t descriptor = -1;
  platform::FileIdentity file;
};

// The leader's outcome of a step, which all members of its side get.
Error tell_all(const MeetingSide& side, void* data, std::int64_t bytes) {
  return agree_broadcast(side.members, side.leader, data, bytes);
}

// Each process answers this of the meeting; the answers of all are combined by `and`.
struct Answers {
  bool knows = true;     // it knows all of the other side
  bool is_here = true;   // it is on the host of the other side's leader
  bool is_plain = true;  // it has met nobody over the network so far
};

Answers operator&&(Answers one, Answers other) {
  return {one.knows && other.knows, one.is_here && other.is_here, one.is_plain && other.is_plain};
}

// Combines the answers of all processes of both sides, each of which gets the result.
Error agree_of_both(const MeetingSide& side, Answers mine, Answers* all) {
  const auto count = static_cast<std::size_t>(side.members.count);
  auto* answers = static_cast<Answers*>(std::malloc(count * sizeof(Answers)));
  BATON_INVARIANT(answers != nullptr);  // the others would wait for ever
  Error error = agree_allgather(side.members, &mine, sizeof mine, answers);
  struct {
    Error error;
    Answers all;
  } outcome{error, {}}, theirs{};
  for (std::size_t i = 0; i < count; ++i) outcome.all = outcome.all && answers[i];
  std::free(answers);
  if (side.channel && !error) {
    outcome.error = side.channel->exchange(&outcome, sizeof outcome, &theirs, sizeof theirs);
    outcome.all = outcome.all && theirs.all;
  }
  if (!error) error = tell_all(side, &outcome, sizeof outcome);
  *all = outcome.all;
  if (error || !outcome.error) return error;
  return side.channel ? outcome.error : lost_leader(outcome.error);
}

// Every process of both sides has succeeded, or gets an error: its own, or that of others.
Error succeed_together(const MeetingSide& side, Error own_error) {
  const Explanation why = last_explanation();
  Answers all{};
  const Error error = agree_of_both(side, {own_error == MPI_SUCCESS, true, true}, &all);
  if (own_error) {
    last_explanation() = why;
    return own_error;
  }
  if (error || all.knows) return error;
  return fail(MPI_ERR_OTHER, "a process of the two groups could not meet the others");
}

// Gives each process of this side a row of `their_bytes` from each of the other's, and the reverse:
// `bytes` of this process.
Error exchange_rows(const MeetingSide& side, const void* mine, std::int64_t bytes, char* theirs,
                    std::int64_t their_bytes, std::int32_t their_count) {
  const std::int64_t own_size = bytes * side.members.count, their_size = their_bytes * their_count;
  auto* own = static_cast<char*>(std::malloc(static_cast<std::size_t>(own_size)));
  BATON_INVARIANT(own != nullptr);  // the others would wait for ever
  Error error = agree_allgather(side.members, mine, bytes, own);
  Error outcome = error;
  if (side.channel && !error) outcome = side.channel->exchange(own, own_size, theirs, their_size);
  std::free(own);
  if (!error) error = tell_all(side, &outcome, sizeof outcome);
  if (error) return error;
  if (outcome) return side.channel ? outcome : lost_leader(outcome);
  return tell_all(side, theirs, their_size);
}

// Counts as known processes from now on for those who ask, so that nobody leaves them meanwhile.
class KnownProcesses {
 public:
  explicit KnownProcesses(const TravellingGroup& group) : group_(group) {
    const auto size = static_cast<std::size_t>(group.size());
    held_ = static_cast<Process*>(std::malloc(size * sizeof(Process)));
    is_known_ = static_cast<bool*>(std::malloc(size));
    BATON_INVARIANT(held_ != nullptr && is_known_ != nullptr);
    for (std::int32_t i = 0; i < group.size(); ++i) {
      const ProcessId id = group.ids()[i];
      const bool is_own = id.job == message::engine.job;
      is_known_[i] = is_own || message::hold_known(id, &held_[count_]);
      if (is_known_[i] && !is_own) ++count_;
      all_ = all_ && is_known_[i];
    }
  }
  ~KnownProcesses() {
    for (std::int32_t i = 0; i < count_; ++i) message::let_go_met(held_[i]);
    std::free(held_);
    std::free(is_known_);
  }
  KnownProcesses(const KnownProcesses&) = delete;
  KnownProcesses& operator=(const KnownProcesses&) = delete;
  bool are_all() const { return all_; }
  bool is_known(std::int32_t place) const { return is_known_[place]; }

  // One may know another that has forgotten it, and comes anew: then both forget it.
  Error settle(const MeetingSide& side) {
    const std::int32_t theirs = group_.size(), ours = side.members.count;
    auto* rows = static_cast<bool*>(std::malloc(static_cast<std::size_t>(theirs * ours)));
    BATON_INVARIANT(rows != nullptr);
    const Error error =
        exchange_rows(side, is_known_, theirs, reinterpret_cast<char*>(rows), ours, theirs);
    for (std::int32_t i = 0; i < theirs && !error; ++i) {
      if (!is_known_[i] || rows[i * ours + side.members.position]) continue;
      message::forget_if_known(group_.ids()[i]);
      is_known_[i] = false;
    }
    std::free(rows);
    return error;
  }

 private:
  const TravellingGroup& group_;
  Process* held_;
  bool* is_known_;
  std::int32_t count_ = 0;
  bool all_ = true;
};

// Opens the memory of a meeting; -1, explained: this process cannot.
int open_memory(const Invitation& invitation) {
  const int file = platform::open_from_process(invitation.maker, invitation.descriptor);
  if (file >= 0 && platform::file_identity(file) == invitation.file) return file;
  const int why = file >= 0 ? ENOENT : errno;
  if (file >= 0) ::close(file);
  (void)fail(MPI_ERR_OTHER,
             "the memory that process %d has made for both groups cannot be opened: %s; jobs meet "
             "only where they are of one user and see each other in /proc",
             static_cast<int>(invitation.maker), std::strerror(why));
  return -1;
}

// The leader of the side that comes first makes the memory, with slots in the order of `both`.
Invitation invite(const ProcessId* both, std::int32_t count) {
  Invitation invitation;
  int file = -1;
  invitation.error = transport::make_meeting_memory(both, static_cast<std::uint32_t>(count), &file);
  if (invitation.error) return invitation;
  invitation.maker = ::getpid();
  invitation.descriptor = file;
  invitation.file = platform::file_identity(file);
  return invitation;
}

// Passes the invitation on to all.
Error receive_invitation(const MeetingSide& side, bool makes, Invitation* invitation) {
  if (side.channel) {
    Invitation theirs;
    Error error = side.channel->exchange(invitation, sizeof *invitation, &theirs, sizeof theirs);
    if (!makes) *invitation = theirs;
    if (error) invitation->error = error;
  }
  if (Error error = tell_all(side, invitation, sizeof *invitation)) return error;
  if (!invitation->error) return MPI_SUCCESS;
  if (makes) return invitation->error;  // explained
  return fail(invitation->error, "no memory could be made in which both groups meet");
}

// All take their slots; `both` are the processes in the order of the slots.
Error enter(const MeetingSide& side, const ProcessId* both, std::int32_t count, bool makes,
            message::Meeting** held) {
  Invitation invitation;
  if (makes) invitation = invite(both, count);
  const int made = invitation.descriptor;
  Error error = receive_invitation(side, makes, &invitation);
  if (!error) {
    const ProcessId self = message::id_of(message::engine.self);
    const auto slot = static_cast<std::uint32_t>(std::find(both, both + count, self) - both);
    const int file = makes ? ::dup(made) : open_memory(invitation);
    error = succeed_together(side, file < 0 ? MPI_ERR_OTHER : message::meet(file, slot, held));
  }
  if (made >= 0) ::close(made);
  return error;
}

// --- over the network

// Passes a key on to all members, hidden on each step of the way.
Error tell_key(const MeetingSide& side, Key* key) {
  const Members& members = side.members;
  const std::int32_t count = members.count;
  const std::int32_t own = (members.position - side.leader + count) % count;
  const auto at = [&](std::int32_t from_leader) { return (from_leader + side.leader) % count; };
  Datatype& bytes = *datatype::datatypes.find(MPI_BYTE);
  message::HiddenKey hidden{};
  std::int32_t mask = 1;
  while (mask < count && !(own & mask)) mask <<= 1;
  if (mask < count) {
    const std::int32_t from = at(own - mask);
    if (Error error = message::receive(*members.context, &hidden, sizeof hidden, bytes,
                                       members.rank_at(from), members.tag, nullptr))
      return error;
    *key = message::reveal_key(members.process_at(from), hidden);
  }
  for (mask >>= 1; mask > 0; mask >>= 1) {
    if (own + mask >= count) continue;
    const std::int32_t to = at(own + mask);
    hidden = message::hide_key(members.process_at(to), *key);
    if (Error error = message::send(*members.context, &hidden, sizeof hidden, bytes,
                                    members.rank_at(to), members.tag))
      return error;
  }
  return MPI_SUCCESS;
}

// How a process of one side is reached by those of the other; an error: it is not.
struct Row {
  Error error;
  message::NetworkCard card;
};

// Makes the other side's processes known, once all is told; `rows` are theirs.
Error introduce_all(const MeetingSide& side, const TravellingGroup& remote,
                    const KnownProcesses& known, const Row* rows, Key key,
                    message::Meeting& meeting) {
  const auto count = static_cast<std::size_t>(remote.size());
  auto* strangers = static_cast<message::Stranger*>(std::calloc(count, sizeof(message::Stranger)));
  if (!strangers) return fail(MPI_ERR_NO_MEM, "no memory to meet %zu processes", count);
  Error error = MPI_SUCCESS;
  for (std::int32_t i = 0; i < remote.size() && !error; ++i) {
    if (rows[i].error)
      error =
          fail(MPI_ERR_OTHER, "rank %u of the other job has no network to meet over; it says why",
               number_of(remote.ids()[i].rank));
    strangers[i] = {remote.ids()[i], known.is_known(i), &rows[i].card,
                    rows[i].card.first + static_cast<std::uint32_t>(side.members.position)};
  }
  if (!error) error = message::introduce(meeting, strangers, key);
  std::free(strangers);
  return error;
}

// All tell all of the other side how they are reached.
Error enter_over_network(const MeetingSide& side, const TravellingGroup& remote,
                         KnownProcesses& known, message::Meeting** held) {
  const platform::HostIdentity own = own_host();
  const bool one_machine =
      own.boot[0] == side.other_host.boot[0] && own.namespaces[2] == side.other_host.namespaces[2];
  Row row{};
  row.error = message::begin_meeting_over_network(static_cast<std::uint32_t>(remote.size()),
                                                  one_machine, &row.card, held);
  Explanation why = last_explanation();
  auto* rows =
      static_cast<Row*>(std::malloc(static_cast<std::size_t>(remote.size()) * sizeof(Row)));
  BATON_INVARIANT(rows != nullptr);  // the others would wait for ever
  Error error = known.settle(side);
  if (!error)
    error = exchange_rows(side, &row, sizeof row, reinterpret_cast<char*>(rows), sizeof(Row),
                          remote.size());
  struct {
    Error error;
    Key key;
  } secret{};
  if (!error && side.channel) secret.error = side.channel->agree_key(&secret.key);
  if (!error) error = tell_all(side, &secret.error, sizeof secret.error);
  if (!error && secret.error) error = side.channel ? secret.error : lost_leader(secret.error);
  if (!error) error = tell_key(side, &secret.key);
  if (!error) {
    Error own_error = row.error;
    if (own_error) last_explanation() = why;
    if (!own_error) own_error = introduce_all(side, remote, known, rows, secret.key, **held);
    error = succeed_together(side, own_error);
  }
  std::free(rows);
  return error;
}

// Makes all of both sides known to each other; `*held` is the meeting in which that has happened.
Error meet_all(const MeetingSide& side, const TravellingGroup& remote, KnownProcesses& known,
               message::Meeting** held) {
  Answers all{};
  if (Error error = agree_of_both(
          side, {known.are_all(), own_host() == side.other_host, !message::has_met_over_network()},
          &all))
    return error;
  if (all.knows) return MPI_SUCCESS;
  if (!all.is_here) return enter_over_network(side, remote, known, held);
  if (!all.is_plain)
    if (Error error = known.settle(side)) return error;
  const std::int32_t own_count = side.members.count, count = own_count + remote.size();
  auto* both =
      static_cast<ProcessId*>(std::malloc(static_cast<std::size_t>(count) * sizeof(ProcessId)));
  BATON_INVARIANT(both != nullptr);  // the others would wait for ever
  const auto id_at = [&side](std::int32_t place) {
    return message::id_of(side.members.process_at(place));
  };
  const bool first = number_for_all(id_at(0)) < number_for_all(remote.ids()[0]);
  ProcessId* ours = first ? both : both + remote.size();
  for (std::int32_t i = 0; i < own_count; ++i) ours[i] = id_at(i);
  std::copy_n(remote.ids(), remote.size(), first ? both + own_count : both);
  const Error error = enter(side, both, count, first && side.channel, held);
  std::free(both);
  return error;
}

// Makes the group of processes that are known here, and that the caller holds.
Error make_group(const TravellingGroup& travelling, Group** made) {
  *made = new_group(travelling.size());
  if (!*made) return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", travelling.size());
  travelling.give(**made);
  finish_group(**made);
  return MPI_SUCCESS;
}

}  // namespace

TravellingGroup::~TravellingGroup() {
  std::free(ids_);
}

bool TravellingGroup::resize(std::int32_t size) {
  ids_ = static_cast<ProcessId*>(std::malloc(static_cast<std::size_t>(size) * sizeof(ProcessId)));
  size_ = ids_ ? size : 0;
  return ids_ != nullptr;
}

void TravellingGroup::take(const Group& group) {
  std::transform(group.processes, group.processes + size_, ids_, message::id_of);
}

void TravellingGroup::give(Group& group) const {
  std::transform(ids_, ids_ + size_, group.processes, message::process_of);
}

bool are_of_one_job(const TravellingGroup& one, const TravellingGroup& other) {
  const Job job = one.ids()[0].job;
  const auto is_of_it = [job](ProcessId id) { return id.job == job; };
  return std::all_of(one.ids(), one.ids() + one.size(), is_of_it) &&
         std::all_of(other.ids(), other.ids() + other.size(), is_of_it);
}

Error group_of_known(const TravellingGroup& travelling, Group** made) {
  const KnownProcesses known(travelling);
  if (known.are_all()) return make_group(travelling, made);
  return fail(MPI_ERR_GROUP,
              "argument remote_group: it has a process of another job that this process has not "
              "met; MPI_Intercomm_create makes them meet");
}

platform::HostIdentity own_host() {
  platform::HostIdentity host = platform::host_identity();
  const bool is_split =
      transport::spans_nodes() && transport::process_count() == transport::rank_count();
  if (is_split) host.namespaces[3] = static_cast<std::uint64_t>(message::engine.job);
  return host;
}

Error acquaint(const MeetingSide& side, const TravellingGroup& remote, Group** made) {
  KnownProcesses known(remote);
  message::Meeting* held = nullptr;
  Error error = meet_all(side, remote, known, &held);
  // Nobody leaves those who are held here before the group holds them.
  if (!error) error = make_group(remote, made);
  if (held) message::let_go(*held);
  // Others may not have come there, and must not count as known from now on.
  if (held && error) message::leave_unused_meetings();
  return error;
}

}  // namespace baton::world
