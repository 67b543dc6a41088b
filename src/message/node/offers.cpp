#include "message/node/offers.hpp"

#include <algorithm>
#include <bit>

#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/core/unexpected.hpp"
#include "message/node/lease.hpp"
#include "message/node/offer_slots.hpp"
#include "message/node/pull.hpp"
#include "message/node/stream_in.hpp"
#include "message/node/stream_out.hpp"

namespace baton::message {

namespace {

constexpr std::uint32_t page_sends = OfferSlots::page_sends;

// With more pages than this in use a poll looks at a part, so that many open offers stay cheap;
// guess. Who is about to sleep looks at all.
constexpr std::uint32_t pages_per_poll = 16;

// Frees the slots of sends that are done. Whether there were any; and a send whose receiver shares
// the copying, if there is one.
bool end_done_offers(NodeMessages& node, Request** shared) {
  platform::Guard guard(node.offers.lock);
  bool any = false;
  OfferSlots& offers = node.offers;
  std::uint32_t pages =
      engine.about_to_sleep ? offers.in_use : std::min(offers.in_use, pages_per_poll);
  for (; pages > 0; --pages) {
    std::uint32_t page = offers.next_polled < offers.in_use ? offers.next_polled : 0;
    offers.next_polled = page + 1;
    for (std::uint64_t bits = offers.pages[page]->open; bits; bits &= bits - 1) {
      std::uint32_t slot = page * page_sends + static_cast<std::uint32_t>(std::countr_zero(bits));
      lockfree::OfferState state = lockfree::offer_state(own_offer(node, slot));
      Request* send = send_of(node, slot);
      if (state == lockfree::OfferState::shared) *shared = send;
      // A stream that the receiver has taken back ends here only when its request for it has come:
      // the slot must not be another's by then.
      const bool asked = send && node_part(*send).asked;
      if (state == lockfree::OfferState::given_back && asked) {
        BATON_INVARIANT(
            lockfree::move_offer(own_offer(node, slot), state, lockfree::OfferState::streaming));
        start_stream_out(*send);
        any = true;
        continue;
      }
      if (state != lockfree::OfferState::done && !(state == lockfree::OfferState::copied && asked))
        continue;
      close_slot(node, slot);
      if (send) {
        let_lease_go(*send);
        set_outstanding(*send, 0);
        complete(*send, MPI_SUCCESS);
      } else {
        platform::add_shared(node.withdrawn_offers, ~0u);  // and the receiver has seen it
      }
      any = true;
    }
  }
  return any;
}

}  // namespace

bool poll_offers(NodeMessages& node) {
  Request* shared = nullptr;
  bool any = end_done_offers(node, &shared);
  // Its slot closes only here, when it is done.
  // Under the progress lock, which other threads may wait for: a piece at a time.
  const std::uint64_t most = platform::threads_multiple ? 1 : ~std::uint64_t{0};
  if (shared) any |= push_pieces(own_offer(*shared), *shared, most) > 0;
  return any;
}

void arrive_cts(const NodePeer& peer, const CtsLine& line) {
  NodeMessages& node = node_of(peer);
  Request* send;
  {
    platform::Guard guard(node.offers.lock);
    send = send_of(node, line.slot);
    BATON_INVARIANT(send != nullptr);
    node_part(*send).limit = line.limit;
    node_part(*send).stream = line.stream;
    node_part(*send).new_window = !line.window_kept;
    node_part(*send).asked = !lockfree::move_offer(own_offer(*send), lockfree::OfferState::claimed,
                                                   lockfree::OfferState::streaming);
    if (node_part(*send).asked) return;  // taken back: end_done_offers goes on with it
  }
  start_stream_out(*send);
}

bool withdraw(Request& send) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.offers.lock);
  if (send.stage != Stage::offered || send_of(node, node_part(send).slot) != &send) return false;
  if (!lockfree::move_offer(own_offer(send), lockfree::OfferState::offered,
                            lockfree::OfferState::withdrawn))
    return false;
  // The receiver still holds the envelope that names this slot: it stays open until it has looked.
  send_of(node, node_part(send).slot) = nullptr;
  let_lease_go(send);
  set_outstanding(send, 0);
  platform::add_shared(node.withdrawn_offers, 1u);
  return true;
}

namespace {

transport::Offer& offer_of(const UnexpectedMessage& unexpected) {
  return transport::offer(node_peer(unexpected.process).slot,
                          static_cast<std::uint32_t>(node_part(unexpected).slot));
}

// The end of a message whose sender has cancelled it. We will not look again: its slot may be used
// anew. Its early bytes are complete, since only then it could be withdrawn.
void drop_withdrawn(UnexpectedMessage& unexpected) {
  BATON_INVARIANT(lockfree::move_offer(offer_of(unexpected), lockfree::OfferState::withdrawn,
                                       lockfree::OfferState::done));
  if (!node_part(unexpected).span.empty()) skip_early(unexpected);
  drop_unexpected(unexpected);
}

}  // namespace

void fail_offers(NodePeer& receiver, Error error) {
  drop_streams_out(receiver);
  NodeMessages& node = node_of(receiver);
  platform::Guard guard(node.offers.lock);
  OfferSlots& offers = node.offers;
  for (std::uint32_t page = 0; page < offers.in_use; ++page)
    for (std::uint64_t bits = offers.pages[page]->open; bits; bits &= bits - 1) {
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

bool claim_offer(UnexpectedMessage& unexpected) {
  unexpected.claimed = lockfree::move_offer(offer_of(unexpected), lockfree::OfferState::offered,
                                            lockfree::OfferState::claimed);
  if (unexpected.claimed) return true;
  drop_withdrawn(unexpected);
  return false;
}

bool is_offer_withdrawn(const UnexpectedMessage& unexpected) {
  return lockfree::offer_state(offer_of(unexpected)) == lockfree::OfferState::withdrawn;
}

void end_offer(const NodePeer& sender, std::int32_t slot) {
  if (slot == no_slot) return;
  auto& offer = transport::offer(sender.slot, static_cast<std::uint32_t>(slot));
  // Claimed, or shared: no other moves it now.
  BATON_INVARIANT(
      lockfree::move_offer(offer, lockfree::offer_state(offer), lockfree::OfferState::done));
  wake_rank(sender.slot);
}

bool is_offer_taken(const Request& send) {
  return lockfree::offer_state(own_offer(send)) != lockfree::OfferState::offered;
}

}  // namespace baton::message
