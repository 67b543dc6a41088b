// Meeting processes of other jobs on other nodes: each side tells the other how it is reached, and
// both exchange packets from then on.
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/errand.hpp"
#include "message/meet.hpp"
#include "message/network/met_peers.hpp"
#include "message/network/network_protocol.hpp"
#include "platform/random.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkPeer;

namespace {

// A NetworkCard holds this.
struct Card {
  transport::network::NetworkAddress address;
  char provider[24];
};
static_assert(sizeof(Card) <= sizeof NetworkCard::bytes);

// libfabric 1 and 2 have two names for one provider.
const char* name_of_provider() {
  return network().endpoint().is_tcp() ? "tcp" : network().endpoint().provider();
}

// A job on one node opens the network when it first meets one that is elsewhere. Under the progress
// lock.
Error open_protocol(bool one_machine) {
  Protocol*& protocol = engine.protocols[static_cast<int>(PeerKind::network)];
  if (protocol) return MPI_SUCCESS;
  // Other machines may be met later. Where there is no way to such, nothing is lost.
  Error error = network().open_endpoint(false);
  if (error && one_machine) error = network().open_endpoint(true);
  if (error) return error;
  auto* made = new (std::nothrow) NetworkProtocol;
  protocol = made;
  if (!made) return fail(MPI_ERR_NO_MEM, "no memory to meet processes over the network");
  if ((error = made->set_up())) {
    delete made;
    protocol = nullptr;
    return error;
  }
  made->expect_leaving(Leaving::together);  // those who are met say goodbye before they end
  return MPI_SUCCESS;
}

// Under the progress lock.
Error make_meeting(std::uint32_t count, Meeting** held) {
  auto* meeting = new (std::nothrow) Meeting;
  auto* met = static_cast<Meeting::Met*>(std::calloc(count, sizeof(Meeting::Met)));
  Error error =
      meeting && met ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to meet %u processes", count);
  if (meeting) meeting->count = count;
  if (!error) error = take_numbers(*meeting);
  if (!error && !add_met_peers(meeting->first, count))
    error = fail(MPI_ERR_NO_MEM, "no memory to meet %u processes", count);
  if (error) {
    std::free(met);
    delete meeting;
    return error;
  }
  meeting->protocol = engine.protocols[static_cast<int>(PeerKind::network)];
  set_active(*meeting->protocol, true);
  meeting->met = met;
  meeting->uses = 1;
  list_meeting(*meeting);
  *held = meeting;
  return MPI_SUCCESS;
}

// The other one has forgotten a process that this one still knows, and comes anew.
void forget_earlier(ProcessId id) {
  if (Process found; find_met(id, &found) && note_left(found) && note_loss(found, left_normally)) {
    if (NetworkPeer* peer = network().known(found)) network().lose(*peer, left_normally);
    end_what_is_lost();
  }
}

// Under the progress lock.
Error introduce(Meeting& meeting, std::uint32_t index, const Stranger& stranger, Key key) {
  forget_earlier(stranger.id);
  Card card;
  std::memcpy(&card, stranger.card->bytes, sizeof card);
  card.address.host[sizeof card.address.host - 1] = 0;
  if (std::strncmp(card.provider, name_of_provider(), sizeof card.provider) != 0)
    return fail(MPI_ERR_OTHER,
                "rank %u of the other job, on host %s, has the network %.*s, and this process has "
                "%s; BATON_NETWORK_PROVIDER gives both the same",
                number_of(stranger.id.rank), card.address.host,
                static_cast<int>(sizeof card.provider), card.provider, name_of_provider());
  const auto process = static_cast<Process>(meeting.first + index);
  if (Error error = network().introduce(process, card.address, key, stranger.own_number))
    return error;
  met_peer(process).address = card.address;
  platform::Guard guard(engine.meetings_lock);
  meeting.met[index] = {stranger.id, index};
  return MPI_SUCCESS;
}

Key pad_of(Key pair, std::uint64_t salt) {
  const std::uint64_t low[] = {salt, 0, 0}, high[] = {salt, 0, 1};
  return {keyed_hash(pair, low), keyed_hash(pair, high)};
}

// Returns what hides a key between this process and another one; nothing if they share memory.
Key pad_with(Process process, std::uint64_t salt, bool sends) {
  if (&protocol_of(process) != engine.protocols[static_cast<int>(PeerKind::network)]) return {};
  const NetworkPeer* peer = network().meet(process);
  BATON_INVARIANT(peer != nullptr);  // it has an address, and was met before
  return pad_of(sends ? peer->out_key : peer->in_key, salt);
}

}  // namespace

Error begin_meeting_over_network(std::uint32_t count, bool one_machine, NetworkCard* card,
                                 Meeting** held) {
  Error error = MPI_SUCCESS;
  errand.run([&] {
    leave_unused();
    error = open_protocol(one_machine);
    if (!error) error = make_meeting(count, held);
  });
  *card = {};
  if (error) return error;
  Card own{network().own_address(), {}};
  std::strncpy(own.provider, name_of_provider(), sizeof own.provider - 1);
  std::memcpy(card->bytes, &own, sizeof own);
  card->first = (*held)->first;
  return MPI_SUCCESS;
}

Error introduce(Meeting& meeting, const Stranger* strangers, Key key) {
  Error error = MPI_SUCCESS;
  errand.run([&] {
    for (std::uint32_t i = 0; i < meeting.count && !error; ++i)
      if (!strangers[i].is_kept) error = introduce(meeting, i, strangers[i], key);
  });
  return error;
}

bool has_met_over_network() {
  platform::Guard guard(engine.meetings_lock);
  for (const Meeting* meeting = engine.meetings; meeting; meeting = meeting->next)
    if (meeting->is_over_network()) return true;
  return false;
}

void forget_if_known(ProcessId id) {
  errand.run([id] { forget_earlier(id); });
}

void say_goodbye(Meeting& meeting) {
  meeting.has_said_goodbye = true;
  for (std::uint32_t i = 0; i < meeting.count; ++i) {
    const auto process = static_cast<Process>(meeting.first + i);
    const NetworkPeer* peer = network().known(process);
    // relaxed: who was not met waits for no goodbye.
    if (!peer || !peer->is_met.load(std::memory_order_relaxed)) continue;
    if (loss_of(process) || meeting.met[i].has_left) continue;
    (void)send_active(process, ActiveKind::network_goodbye, 0, nullptr, 0);
  }
}

void leave_over_network(Meeting& meeting) {
  auto& protocol = static_cast<NetworkProtocol&>(*meeting.protocol);
  for (std::uint32_t i = 0; i < meeting.count; ++i) {
    const auto process = static_cast<Process>(meeting.first + i);
    protocol.drop_packet_of(process);
    network().forget(process);
  }
  forget_met_peers(meeting.first);
  // A job on one node need not look at the network any more.
  if (!transport::spans_nodes() && !messages_over_network().met)
    set_active(messages_over_network(), false);
  std::free(meeting.met);
  delete &meeting;
}

HiddenKey hide_key(Process receiver, Key key) {
  const std::uint64_t salt = platform::random_word();
  const Key pad = pad_with(receiver, salt, true);
  return {salt, {key.low ^ pad.low, key.high ^ pad.high}};
}

Key reveal_key(Process sender, const HiddenKey& hidden) {
  const Key pad = pad_with(sender, hidden.salt, false);
  return {hidden.key.low ^ pad.low, hidden.key.high ^ pad.high};
}

}  // namespace baton::message
