#include "message/node/pull.hpp"

#include "base/settings.hpp"
#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/node/copy_time.hpp"
#include "message/node/observe.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"
#include "transport/heap.hpp"
#include "transport/move/copy.hpp"
#include "transport/move/reach.hpp"
#include "transport/move/shared_copy.hpp"

namespace baton::message {

bool copy_together(transport::RendezvousEntry& entry, NodePeer& sender, const char* source,
                   Request& receive, bool* pushed) {
  const OutstandingCopy counted(receive.bytes);
  const transport::PulledPieces pulled =
      transport::pull_pieces(entry, {sender.slot, source}, receive.buffer, receive.bytes);
  *pushed = pulled.pushed;
  if (!pulled.pushed) count_reason(sender, Reason::sender_elsewhere, receive.bytes);
  if (!pulled.good)
    BATON_INVARIANT(lockfree::move_entry(entry, lockfree::RendezvousState::shared,
                                         lockfree::RendezvousState::claimed));
  return pulled.good;
}

std::uint32_t piece_bytes(std::int64_t bytes) {
  return transport::piece_bytes(bytes, settings.shared_bytes_min);
}

bool pull(const UnexpectedMessage& unexpected, Request& receive) {
  NodePeer& peer = node_peer(unexpected.process);
  const transport::Slot owner = peer.slot;
  auto* source = reinterpret_cast<const char*>(node_part(unexpected).address);
  bool mapped = transport::map({owner, source}, static_cast<std::size_t>(receive.bytes)) != nullptr;
  bool exported = node_part(unexpected).exported;
  transport::ReceiveFacts facts{receive.bytes,
                                node_part(unexpected).sender_contiguous,
                                receive.is_run,
                                mapped || transport::kernel_copies_from(owner),
                                mapped ? 0 : node_of(peer).cma_bytes_min,
                                node_part(unexpected).for_staging && settings.observe &&
                                    !wishes_pull(peer, receive.bytes, exported)};
  if (!facts.receiver_contiguous && facts.sender_contiguous && facts.may_read)
    observe_not_pullable(peer, receive.bytes, exported);
  transport::Choice choice = transport::choose_receive(facts);
  // The sender of shorter ones has counted why they entered no ring.
  if (unexpected.bytes > settings.eager_bytes_max) count_reason(peer, choice.reason, receive.bytes);
  if (choice.way != Way::cma) return false;
  std::int64_t start = platform::now_ticks();
  std::uint32_t piece = engine.oversubscribed ? 0 : piece_bytes(receive.bytes);
  const bool shares =
      piece > 0 && transport::reach_by(owner, receive.buffer) != transport::Reach::by_both_sides &&
      wishes_shared(peer, receive.bytes, exported);
  const bool together = shares && peer.shared_copies.expected();
  bool pushed = false;
  bool good;
  if (together) {
    transport::RendezvousEntry& entry =
        transport::rendezvous_entry(owner, node_part(unexpected).slot);
    lockfree::share_entry(entry, reinterpret_cast<std::uint64_t>(receive.buffer),
                          static_cast<std::uint64_t>(receive.bytes), piece);
    good = copy_together(entry, peer, source, receive, &pushed);
    peer.shared_copies.saw(pushed);
  } else {
    const OutstandingCopy counted(receive.bytes);
    good = transport::copy_from({owner, source}, receive.buffer, receive.bytes);
  }
  count_copy_time(receive, start);
  if (good) {
    count_message(peer,
                  !mapped                                         ? Way::cma
                  : transport::exported_heap.reach(owner, source) ? Way::exported
                                                                  : Way::xpmem,
                  receive.bytes);
    observe(peer, receive.bytes, exported, shares ? Taken::shared : Taken::pulled,
            transport::cost_of_copy(receive.bytes, platform::now_ticks() - start,
                                    pushed ? transport::Pushed::half : transport::Pushed::nothing,
                                    mapped));
  }
  if (!good)
    count_reason(peer, Reason::copy_refused, receive.bytes);
  else if (!together)
    count_reason(peer,
                 engine.oversubscribed ? Reason::oversubscribed
                 : piece == 0          ? Reason::too_short_to_share
                                       : Reason::sender_elsewhere,
                 receive.bytes);
  return good;
}

bool take_back_stream(Request& receive) {
  NodePeer& peer = node_peer(receive.process);
  auto* source = reinterpret_cast<const char*>(node_part(receive).source_address);
  node_part(receive).source_address = 0;
  transport::RendezvousEntry& entry =
      transport::rendezvous_entry(peer.slot, node_part(receive).slot);
  // It may have been streamed meanwhile, and the slot be another message's.
  if (!lockfree::move_entry(entry, node_part(receive).entry_use, lockfree::RendezvousState::claimed,
                            lockfree::RendezvousState::taken_back))
    return false;
  const std::int64_t bytes = node_part(receive).limit - receive.position,
                     start = platform::now_ticks();
  const OutstandingCopy counted(bytes);
  const bool good =
      transport::copy_from({peer.slot, source + receive.position},
                           static_cast<char*>(receive.buffer) + receive.position, bytes);
  count_copy_time(receive, start);
  count_reason(peer, good ? Reason::sender_away : Reason::copy_refused, receive.bytes);
  BATON_INVARIANT(lockfree::move_entry(
      entry, lockfree::RendezvousState::taken_back,
      good ? lockfree::RendezvousState::copied : lockfree::RendezvousState::given_back));
  wake_rank(peer.slot);
  if (!good) return false;
  receive.position = node_part(receive).limit;
  node_part(receive).started_ticks = 0;  // it says nothing about either protocol
  return true;
}

std::uint64_t push_pieces(transport::RendezvousEntry& entry, Request& send, std::uint64_t most) {
  NodePeer& peer = node_peer(send.process);
  if (peer.refuses_pushes) return 0;
  // relaxed: written before the entry was shared.
  auto* target = reinterpret_cast<char*>(entry.target.load(std::memory_order_relaxed));
  const transport::PushedPieces pushed =
      transport::push_pieces(entry, {peer.slot, target}, send.buffer, most);
  if (pushed.refused) peer.refuses_pushes = true;
  return pushed.count;
}

}  // namespace baton::message
