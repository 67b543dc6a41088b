#include "message/network/remote_access.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/wake.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/rendezvous_table.hpp"
#include "platform/clock.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::rails_max;
using transport::network::Started;

namespace {

// The number of parts of all accesses under way at once; the completion queue has space for them.
constexpr int parts_at_once = 128;  // guess

Accesses& accesses() {
  return messages_over_network().accesses;
}

void list(RemoteAccess& access) {
  platform::Guard guard(accesses().lock);
  *accesses().last = &access;
  accesses().last = &access.following;
}

void unlist(RemoteAccess& access) {
  platform::Guard guard(accesses().lock);
  RemoteAccess** link = &accesses().first;
  while (*link != &access) link = &(*link)->following;
  *link = access.following;
  if (accesses().last == &access.following) accesses().last = link;
}

RemoteAccess* after(const RemoteAccess* access) {
  platform::Guard guard(accesses().lock);
  return access ? access->following : accesses().first;
}

// If nothing more is to come: whoever waits for it may take it away.
bool end_if_over(RemoteAccess& access) {
  if (access.under_way > 0 || (access.next < access.bytes && !access.network_error)) return false;
  unlist(access);
  network().forget(access.memory);
  if (access.on_rails) network().expect_on_rails(false);
  platform::add_shared(messages_over_network().sends_under_way, ~0u);
  // ORDER remote_access.over: release here, acquire in is_over; what was read is there.
  access.over.store(true, std::memory_order_release);
  announce_completion();
  return true;
}

// A target whose provider works only while the target looks at the network must not take its
// silence for a reason to sleep: of remote accesses it is told nothing. One packet at a time, so
// that those of a target that computes do not pile up.
void keep_awake(transport::network::NetworkPeer& peer) {
  constexpr std::int64_t gap_ns = 200000;  // guess: who waits spins for a millisecond or so
  if (!network().endpoint().needs_looks() || !peer.rouse_seen) return;
  const std::int64_t now = platform::now_ns();
  if (now - peer.roused_ns < gap_ns) return;
  peer.roused_ns = now;
  peer.rouse_seen = false;
  network().rouse(peer);
}

void part_done(transport::network::Operation& operation, int error) {
  auto& part = static_cast<AccessPart&>(operation);
  RemoteAccess& access = *part.access;
  part.busy = false;
  --accesses().parts;
  --access.under_way;
  --access.under_way_on[part.rail];
  if (error && !access.network_error) access.network_error = error;
  access.peer->rouse_seen = true;
  (void)end_if_over(access);
}

// The interface with the least to do.
int next_rail(const RemoteAccess& access) {
  int best = 0;
  for (int rail = 1; rail < rails_max; ++rail)
    if ((access.rails >> rail & 1) && access.under_way_on[rail] < access.under_way_on[best])
      best = rail;
  return best;
}

// Begins a part; false when there is no space for it now.
bool begin_part(RemoteAccess& access) {
  AccessPart* part = std::find_if(access.parts, std::end(access.parts),
                                  [](const AccessPart& one) { return !one.busy; });
  const std::int64_t bytes = std::min(access.part_bytes, access.bytes - access.next);
  const int rail = next_rail(access);
  const int from = network().rail_from(*access.peer, rail);
  const Started started =
      network().access(*access.peer, rail, access.writes, access.data + access.next,
                       static_cast<std::size_t>(bytes), access.memory.each[from].description,
                       access.there.address + static_cast<std::uint64_t>(access.next),
                       access.there.keys[rail], *part);
  if (started == Started::later) return false;
  if (started == Started::failed) {
    if (rail > 0)
      access.rails &= ~(1u << rail);  // the others go on
    else
      access.network_error = network().endpoint().last_error();
    return true;
  }
  part->busy = true;
  part->rail = rail;
  ++accesses().parts;
  ++access.under_way;
  ++access.under_way_on[rail];
  access.next += bytes;
  return true;
}

// Returns whether anything has begun, or it is over.
bool advance(RemoteAccess& access) {
  const int most = access.rails == 1 ? writes_at_once : RemoteAccess::parts_max;
  if (BATON_UNLIKELY(has_lost_peers()))
    if (const int lost = loss_of(access.process)) access.network_error = lost;
  bool any = false;
  keep_awake(*access.peer);
  while (!access.network_error && access.next < access.bytes && access.under_way < most &&
         accesses().parts < parts_at_once && begin_part(access))
    any = true;
  return end_if_over(access) || any;
}

// Over which interfaces it goes, and in what parts.
void choose_rails(RemoteAccess& access) {
  int offered = std::min(access.there.rails, access.memory.count);
  if (access.bytes < settings.network_rails_bytes_min) offered = 1;
  if (offered > 1) {
    access.rails = network().rails_to(*access.peer, access.there.rails);
    for (int rail = 1; rail < rails_max; ++rail)
      if (network().rail_from(*access.peer, rail) >= access.memory.count)
        access.rails &= ~(1u << rail);
  }
  access.on_rails = access.rails != 1;
  if (access.on_rails) network().expect_on_rails(true);
  const auto most = static_cast<std::int64_t>(network().endpoint().remote_access_bytes_max());
  access.part_bytes = write_bytes_of(access.bytes, access.on_rails ? offered : 1);
  if (most > 0) access.part_bytes = std::min(access.part_bytes, most);
}

}  // namespace

Error begin_access(RemoteAccess& access) {
  Peer* peer = contact(access.process);
  if (!peer) return MPI_ERR_NO_MEM;
  {
    BATON_INVARIANT(peer->protocol == &messages_over_network());
    platform::Guard guard(peer->send_lock);
    access.peer = &static_cast<RemotePeer*>(peer)->link.peer();
  }
  const int rails = access.bytes < settings.network_rails_bytes_min || access.there.rails == 1
                        ? 1
                        : network().rails();
  if (Error error = transport::network::register_local(
          access.data, static_cast<std::size_t>(access.bytes), access.writes, rails, access.memory))
    return error;
  for (AccessPart& part : access.parts) {
    part.done = part_done;
    part.access = &access;
  }
  choose_rails(access);
  platform::add_shared(messages_over_network().sends_under_way, 1u);
  list(access);
  // Another thread may make progress: it goes on with what is listed.
  if (!platform::threads_multiple) advance(access);
  return MPI_SUCCESS;
}

Error error_of(const RemoteAccess& access) {
  return access.network_error ? lost_peer(access.process, access.network_error) : MPI_SUCCESS;
}

bool advance_accesses() {
  if (BATON_LIKELY(!has_accesses())) return false;
  bool any = false;
  for (RemoteAccess* access = after(nullptr); access;) {
    RemoteAccess* following = after(access);
    any |= advance(*access);
    access = following;
  }
  return any;
}

bool has_accesses() {
  return platform::load_shared(accesses().first) != nullptr;
}

}  // namespace baton::message
