#include "message/node/rendezvous_entries.hpp"

#include <algorithm>
#include <bit>

#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/device_send.hpp"
#include "message/node/lease.hpp"
#include "message/node/pull.hpp"
#include "message/node/rendezvous_slots.hpp"
#include "message/node/stream_in.hpp"
#include "message/node/stream_out.hpp"
#include "platform/thread_checker.hpp"

namespace baton::message {

namespace {

constexpr std::uint32_t page_sends = RendezvousSlots::page_sends;

// With more pages than this in use a poll looks at a part, so that many open entries stay cheap;
// guess. Who is about to sleep looks at all.
constexpr std::uint32_t pages_per_poll = 16;

// Frees the slots of sends that are done. Whether there were any; and a send whose receiver shares
// the copying, if there is one.
bool end_done_entries(NodeMessages& node, Request** shared) {
  platform::Guard guard(node.slots.lock);
  bool any = false;
  RendezvousSlots& slots = node.slots;
  std::uint32_t pages =
      engine.about_to_sleep ? slots.in_use : std::min(slots.in_use, pages_per_poll);
  for (; pages > 0; --pages) {
    std::uint32_t page = slots.next_polled < slots.in_use ? slots.next_polled : 0;
    slots.next_polled = page + 1;
    for (std::uint64_t bits = slots.pages[page]->open; bits; bits &= bits - 1) {
      std::uint32_t slot = page * page_sends + static_cast<std::uint32_t>(std::countr_zero(bits));
      lockfree::RendezvousState state = lockfree::entry_state(own_entry(node, slot));
      Request* send = send_of(node, slot);
      if (send) platform::hears_from(&peer_of(send->process));
      if (state == lockfree::RendezvousState::shared) *shared = send;
      // A stream that the receiver has taken back ends here only when its request for it has come:
      // the slot must not be another's by then.
      const bool asked = send && node_part(*send).asked;
      if (state == lockfree::RendezvousState::given_back && asked) {
        BATON_INVARIANT(lockfree::move_entry(own_entry(node, slot), state,
                                             lockfree::RendezvousState::streaming));
        start_stream_out(*send);
        any = true;
        continue;
      }
      if (state != lockfree::RendezvousState::done &&
          !(state == lockfree::RendezvousState::copied && asked))
        continue;
      close_slot(node, slot);
      if (send) {
        let_lease_go(*send);
        set_outstanding(*send, 0);
        complete(*send, MPI_SUCCESS);
      } else {
        platform::add_shared(node.withdrawn_entries, ~0u);  // and the receiver has seen it
      }
      any = true;
    }
  }
  return any;
}

}  // namespace

bool poll_entries(NodeMessages& node) {
  Request* shared = nullptr;
  bool any = end_done_entries(node, &shared);
  // Its slot closes only here, when it is done.
  // Under the progress lock, which other threads may wait for: a piece at a time.
  const std::uint64_t most = platform::threads_multiple ? 1 : ~std::uint64_t{0};
  if (shared) any |= push_pieces(own_entry(*shared), *shared, most) > 0;
  return any;
}

void arrive_cts(NodePeer& peer, const CtsLine& line) {
  NodeMessages& node = node_of(peer);
  Request* send;
  {
    platform::Guard guard(node.slots.lock);
    send = send_of(node, line.slot);
    BATON_INVARIANT(send != nullptr);
    node_part(*send).limit = line.limit;
    node_part(*send).stream = line.stream;
    node_part(*send).new_buffer = !line.buffer_kept;
    node_part(*send).asked = !lockfree::move_entry(
        own_entry(*send), lockfree::RendezvousState::claimed, lockfree::RendezvousState::streaming);
    if (node_part(*send).asked) return;  // taken back: end_done_entries goes on with it
  }
  if (BATON_UNLIKELY(line.device_export != 0)) return start_device_send(peer, *send, line);
  start_stream_out(*send);
}

namespace {

// Withdraws the entry of a send, under the slots' lock.
bool withdraw_held(NodeMessages& node, Request& send) {
  if (send.stage != Stage::offered || send_of(node, node_part(send).slot) != &send) return false;
  if (is_filling(send)) return false;  // another thread is at it
  if (!lockfree::move_entry(own_entry(send), lockfree::RendezvousState::offered,
                            lockfree::RendezvousState::withdrawn))
    return false;
  // The receiver still holds the envelope that names this slot: it stays open until it has looked.
  send_of(node, node_part(send).slot) = nullptr;
  let_lease_go(send);
  set_outstanding(send, 0);
  platform::add_shared(node.withdrawn_entries, 1u);
  return true;
}

}  // namespace

bool withdraw(Request& send) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.slots.lock);
  return withdraw_held(node, send);
}

void withdraw_all(NodeMessages& node, bool (*is_doomed)(const Request& send),
                  List<Request>& taken) {
  for (std::uint32_t page = 0; page < node.slots.in_use; ++page)
    for (std::uint32_t place = 0; place < page_sends; ++place) {
      // Another thread may end the send, and begin the next one of the slot.
      platform::Guard guard(node.slots.lock);
      Request* send = node.slots.pages[page]->sends[place];
      if (send && is_doomed(*send) && withdraw_held(node, *send)) taken.push(send);
    }
}

namespace {

transport::RendezvousEntry& entry_of(const UnexpectedMessage& unexpected) {
  return transport::rendezvous_entry(node_peer(unexpected.process).slot,
                                     static_cast<std::uint32_t>(node_part(unexpected).slot));
}

// The end of a message whose sender has cancelled it. We will not look again: its slot may be used
// anew. Its early bytes are complete, since only then it could be withdrawn.
void drop_withdrawn(UnexpectedMessage& unexpected) {
  BATON_INVARIANT(lockfree::move_entry(entry_of(unexpected), lockfree::RendezvousState::withdrawn,
                                       lockfree::RendezvousState::done));
  if (!node_part(unexpected).span.empty()) skip_early(unexpected);
  drop_unexpected(unexpected);
}

}  // namespace

void fail_entries(NodePeer& receiver, Error error) {
  drop_streams_out(receiver);
  drop_device_sends(receiver);
  NodeMessages& node = node_of(receiver);
  platform::Guard guard(node.slots.lock);
  RendezvousSlots& slots = node.slots;
  for (std::uint32_t page = 0; page < slots.in_use; ++page)
    for (std::uint64_t bits = slots.pages[page]->open; bits; bits &= bits - 1) {
      const std::uint32_t slot =
          page * page_sends + static_cast<std::uint32_t>(std::countr_zero(bits));
      Request* send = send_of(node, slot);
      if (!send || send->process != receiver.process) continue;
      close_slot(node, slot);
      let_lease_go(*send);
      set_outstanding(*send, 0);
      complete(*send, error);
    }
}

bool claim_entry(UnexpectedMessage& unexpected) {
  unexpected.claimed = lockfree::move_entry(
      entry_of(unexpected), lockfree::RendezvousState::offered, lockfree::RendezvousState::claimed);
  if (unexpected.claimed) return true;
  drop_withdrawn(unexpected);
  return false;
}

bool is_entry_withdrawn(const UnexpectedMessage& unexpected) {
  return lockfree::entry_state(entry_of(unexpected)) == lockfree::RendezvousState::withdrawn;
}

void end_entry(const NodePeer& sender, std::int32_t slot) {
  if (slot == no_slot) return;
  auto& entry = transport::rendezvous_entry(sender.slot, static_cast<std::uint32_t>(slot));
  // Claimed, or shared: no other moves it now.
  BATON_INVARIANT(
      lockfree::move_entry(entry, lockfree::entry_state(entry), lockfree::RendezvousState::done));
  wake_rank(sender.slot);
}

bool is_entry_taken(const Request& send) {
  return lockfree::entry_state(own_entry(send)) != lockfree::RendezvousState::offered;
}

}  // namespace baton::message
