#include "message/node/accept.hpp"

#include <cerrno>

#include "message/core/account.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/node/copy_time.hpp"
#include "message/node/device_receive.hpp"
#include "message/node/device_send.hpp"
#include "message/node/observe.hpp"
#include "message/node/pull.hpp"
#include "message/node/rendezvous_entries.hpp"
#include "message/node/staging_buffer.hpp"
#include "message/node/stream_in.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"
#include "transport/move/reach.hpp"

namespace baton::message {

// The receiver's side of an offered message it has claimed: copies, or asks for a stream.
void accept_rts(UnexpectedMessage& unexpected, Request& receive) {
  NodePeer& peer = node_peer(unexpected.process);
  const NodeUnexpected& rts = node_part(unexpected);
  NodeRequest& part = receive.part.begin<NodeRequest>();
  receive.position = 0;
  bool all_early = true;
  if (BATON_UNLIKELY(rts.device) && receive.bytes > 0 && receive_from_device(unexpected, receive))
    return;
  // Where the sender copies to our device memory, only the early bytes come otherwise.
  const std::uint64_t published = BATON_UNLIKELY(!receive.is_run && rts.sender_contiguous)
                                      ? publish_device_memory(peer, receive, rts.early_bytes)
                                      : 0;
  if (receive.bytes == 0 && rts.early_bytes == 0) {
    // Without payload the envelope's line was the whole message.
    platform::Guard guard(peer.send_lock);
    count_message(peer, Way::inline_eager, 0);
  } else if (rts.early_bytes > 0 || published || !pull(unexpected, receive)) {
    if (BATON_LIKELY(!published)) count_message(peer, Way::pipelined, receive.bytes);
    bool more = receive.bytes > rts.early_bytes;
    // While the beginning is still in staging, the sender goes on while we copy it: only who makes
    // progress comes here then, and takes in no more of it meanwhile. Else another thread may.
    const bool at_once = !rts.span.empty();
    // Filled only while we copy, and pullable, too: worth comparing. (A stream without early bytes
    // is timed from when its staging buffer comes: arrive_staging_buffer.)
    part.exported = rts.exported;
    const bool pullable = rts.sender_contiguous && receive.is_run &&
                          (rts.exported || (receive.bytes >= node_of(peer).cma_bytes_min &&
                                            transport::kernel_copies_from(peer.slot)));
    const bool observed =
        pullable && (at_once ? is_touched(rts.span, rts.span.shift) : rts.early_bytes == 0);
    // Threads: it would be a long copy under the progress lock.
    if (pullable && more && !platform::threads_multiple) {
      part.source_address = rts.address;
      part.entry_use = lockfree::entry_use(
          transport::rendezvous_entry(peer.slot, static_cast<std::uint32_t>(rts.slot)));
    }
    if (observed) start_observing(receive);
    // Bytes that are there already were filled while this rank did something else.
    const bool both_busy =
        observed && at_once && peer.bidirectional.received() && is_filled(unexpected);
    part.span = more && !rts.keeps_buffer ? lockfree::StagingSpan{} : rts.span;
    if (BATON_UNLIKELY(published != 0)) {
      part.by_device = true;
      part.device_position = rts.early_bytes;
      part.span = device_span(published);
    }
    if (more && at_once) ask_for_stream(peer.process, rts.slot, receive);
    const std::int64_t start = observed ? platform::now_ticks() : 0;
    if (rts.early_bytes > 0) all_early = take_early(unexpected, receive);
    if (observed) count_copy_time(receive, start);
    if (more && !at_once) ask_for_stream(peer.process, rts.slot, receive);
    if (more && !rts.keeps_buffer && at_once) give_back(rts.span, peer);
    if (more) return;  // if its sender has died, it ends when that is noted
    if (!rts.span.empty()) give_back(rts.span, peer);
    if (observed && all_early)
      observe(peer, receive.bytes, part.exported, Taken::pipelined,
              cost_of_staged(receive, both_busy));
  }
  end_entry(peer, rts.slot);
  complete(receive, BATON_LIKELY(all_early) ? receive.error
                                            : peer.protocol->explain_loss(peer.process, ESRCH));
}

void accept_pushed(const PushedLine& line, Request& receive) {
  NodePeer& peer = node_peer(receive.process);
  auto* source = reinterpret_cast<const char*>(line.address);
  std::int64_t start = platform::now_ticks();
  bool pushed = false;
  transport::RendezvousEntry& entry = transport::rendezvous_entry(peer.slot, line.slot);
  if (!copy_together(entry, peer, source, receive, &pushed)) {
    receive.position = 0;
    return ask_for_stream(peer.process, line.slot, receive);
  }
  observe(peer, receive.bytes, node_part(receive).exported, Taken::shared,
          transport::cost_of_copy(receive.bytes, platform::now_ticks() - start,
                                  transport::Pushed::half, line.mapped));
  end_entry(peer, line.slot);
  complete(receive, receive.error);
}

}  // namespace baton::message
