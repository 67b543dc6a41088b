// Meeting processes of another job. On the same node both sides take their slots in an arena that
// they share, and exchange messages through it from then on; elsewhere they tell each other how
// they are reached over the network. world/ calls it when groups of several jobs become a
// communicator, and leaves a meeting when no group has anybody who was met in it.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "base/keyed_hash.hpp"

namespace baton::message {

struct Meeting;

// Takes slot `index` of the arena of meeting in the memory file `descriptor`, which is ours from
// here on. Its maker has written the place, the rank and the job of each slot's process. The
// processes of other jobs are known from then on: message::process_of finds them by their
// ProcessId; one that was met before keeps its number, and its messages go as before. Called after
// start_messages, by any thread. The caller holds the meeting, until it lets go: by then groups
// hold those whom it is for. Errors, explained: MPI_ERR_NO_MEM; MPI_ERR_OTHER: the file is no
// arena, the slot is taken, or there are too many processes.
[[nodiscard]] Error meet(int descriptor, std::uint32_t index, Meeting** held);
void let_go(Meeting& meeting);

// --- over the network (meet_over_network.cpp). The engine has a protocol for it then; any thread.

// How a process is reached, which it tells those that it meets.
struct NetworkCard {
  alignas(8) char bytes[336];
  std::uint32_t first;  // the number by which it counts the first of them; the others follow
};
// A process of the other side: who it is, whether both keep to an earlier meeting, how it is
// reached, and the number by which it counts this process.
struct Stranger {
  ProcessId id;
  bool is_kept;
  const NetworkCard* card;
  std::uint32_t own_number;
};
// Begins a meeting with so many processes, which get numbers here, and opens the network where it
// is not open. `one_machine`: they may be on this machine, which need have no interface that leads
// outside. The caller holds the meeting. Errors, explained: MPI_ERR_NO_MEM; MPI_ERR_OTHER, there is
// no network, or there are too many processes.
[[nodiscard]] Error begin_meeting_over_network(std::uint32_t count, bool one_machine,
                                               NetworkCard* card, Meeting** held);
// Makes the processes of a meeting known, in the order of their numbers. Only those who meet know
// the key. Errors, explained: MPI_ERR_NO_MEM; MPI_ERR_OTHER, an address is of no use here.
[[nodiscard]] Error introduce(Meeting& meeting, const Stranger* strangers, Key key);
// Returns whether this process has meetings over the network.
bool has_met_over_network();
// Notes that a process has forgotten this one, which may still know it.
void forget_if_known(ProcessId id);

// A key on its way to another process: nobody on the network can read it.
struct HiddenKey {
  std::uint64_t salt;
  Key key;
};
HiddenKey hide_key(Process receiver, Key key);
Key reveal_key(Process sender, const HiddenKey& hidden);

// --- for meet.cpp, under the progress lock.
// Tells those of a meeting that this process forgets them; forgets them, when that has left.
void say_goodbye(Meeting& meeting);
void leave_over_network(Meeting& meeting);

// --- of either kind
// A process of another job that was met stays known while anybody holds it: groups do. `hold_known`
// returns whether it was met, and has not left since, and then holds it as `*found`. Any thread.
bool hold_known(ProcessId id, Process* found);
void hold_met(Process process);
void let_go_met(Process process);
// Leaves the meetings that no group uses any more, whose messages have left. Any thread.
void leave_unused_meetings();
// Tells all processes that were met over the network that this one is about to end.
void say_goodbye_to_all();

// Frees what is kept of meetings when the engine stops.
void forget_meetings();

}  // namespace baton::message
