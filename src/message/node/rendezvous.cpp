// Offers: sends whose data stays with the sender until its receiver has come. And the queue of
// requests that wait for room on the way to a peer.
#include <algorithm>
#include <bit>
#include <new>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/protocol.hpp"
#include "message/core/wait.hpp"
#include "message/network/network.hpp"
#include "message/node/copy_time.hpp"
#include "message/node/window.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"
#include "transport/heap.hpp"
#include "transport/single_copy.hpp"

namespace baton::message {

namespace {

constexpr std::uint32_t page_sends = OfferSlots::page_sends;
static_assert(transport::offers_per_page == page_sends);

// With more pages than this in use a poll looks at a part, so that many open offers stay cheap;
// guess. Who is about to sleep looks at all.
constexpr std::uint32_t pages_per_poll = 16;

OfferSlots::Page& page_of(std::uint32_t slot) {
  return *engine.offers.pages[slot / page_sends];
}
Request*& send_of(std::uint32_t slot) {
  return page_of(slot).sends[slot % page_sends];
}

// A page of offers, with memory on both sides of it.
bool add_page() {
  OfferSlots& offers = engine.offers;
  auto* page = new (std::nothrow) OfferSlots::Page;
  if (page && transport::reserve_own_offers(offers.in_use) == MPI_SUCCESS) {
    offers.pages[offers.in_use++] = page;
    return true;
  }
  delete page;
  return false;
}

int free_slot() {
  OfferSlots& offers = engine.offers;
  for (; offers.full < offers.in_use; ++offers.full)
    if (const std::uint64_t open = offers.pages[offers.full]->open; ~open)
      return static_cast<int>(offers.full * page_sends + std::countr_one(open));
  if (offers.in_use == OfferSlots::pages_max) return no_slot;
  return add_page() ? static_cast<int>((offers.in_use - 1) * page_sends) : no_memory;
}

void close_slot(std::uint32_t slot) {
  page_of(slot).open &= ~(std::uint64_t{1} << (slot % page_sends));
  engine.offers.full = std::min(engine.offers.full, slot / page_sends);
  send_of(slot) = nullptr;
  platform::add_shared(engine.open_offers, ~0u);
}

lockfree::Offer<lockfree::Hardware>& own_offer(std::uint32_t slot) {
  return transport::offer(engine.local_rank, slot);
}

}  // namespace

int open_slot(Request& send, Stage stage) {
  platform::Guard guard(engine.offers.lock);
  int free = free_slot();
  if (free < 0) return free;
  auto slot = static_cast<std::uint32_t>(free);
  send.slot = slot;
  send.asked = false;
  send.stage = stage;
  page_of(slot).open |= std::uint64_t{1} << (slot % page_sends);
  send_of(slot) = &send;
  platform::add_shared(engine.open_offers, 1u);
  lockfree::open_offer(own_offer(slot));
  set_outstanding(send, send.bytes);
  return free;
}

void abandon_slot(std::uint32_t slot) {
  platform::Guard guard(engine.offers.lock);
  set_outstanding(*send_of(slot), 0);
  close_slot(slot);
}

namespace {

// Puts the envelope of an offer, then the early bytes. Without a slot they are all. False when
// there is no room, which one line of a ring of our own has, since the caller looked.
bool put_early(Peer& peer, Request& send, std::int64_t early_bytes, int slot) {
  RtsLine line{reinterpret_cast<std::uint64_t>(send.buffer),
               send.bytes,
               slot,
               static_cast<std::uint32_t>(early_bytes),
               holds_lease(peer, send),
               send.for_staging,
               send.datatype->contiguous,
               send.exported,
               send.span};
  if (!put_line(peer, LineKind::rts, send.source, {send.context, send.tag}, &line, sizeof line))
    return false;
  if (early_bytes == 0) return true;
  notify(peer);
  fill_early(peer, send, early_bytes);
  if (slot == no_slot) complete(send, MPI_SUCCESS);
  return true;
}

// Puts the envelope of an offer, and the beginning of the message into staging where that will be
// its way anyhow; false when slots or room are lacking. Without memory the send fails.
bool put_rts(Peer& peer, Request& send) {
  if (!peer.link->has_room(1)) return false;
  Target target = find_target(peer, send);
  send.exported = target.exported || transport::is_mappable_by(peer.local_rank, send.buffer);
  std::int64_t early_bytes = open_early(peer, send, send.exported);
  if (early_bytes <= 0 && target.number && redirect(peer, send, target)) return true;
  if (early_bytes == wait_for_room) {
    // Where the receiver does not look, what comes behind must not wait for it.
    constexpr std::uint8_t waits_max = 100;  // guess: some ten microseconds
    bool pullable = send.datatype->contiguous && send.bytes >= engine.cma_bytes_min &&
                    transport::can_reach(peer.local_rank, send.buffer);
    // A receiver that sends itself looks too seldom: it had better pull. And what its receiver must
    // ask for in any case had better be known to it.
    bool waits = send.bytes <= settings.early_bytes_max &&
                 (!pullable || !peer.crossing.both.load(std::memory_order_relaxed));
    if (waits && ++send.waits < waits_max) return false;
    early_bytes = 0;
  }
  // What has left completely needs no slot to hear of its end, unless it must hear of its match.
  bool all_early = early_bytes > 0 && early_bytes == send.bytes && !send.synchronous;
  // A claim may come, and another thread find it, while we still write.
  send.filling = early_bytes > 0;
  int slot = all_early ? no_slot : open_slot(send);
  if (slot < 0 && !all_early) {
    if (early_bytes > 0) close_early(peer, send);
    if (slot == no_memory) complete(send, MPI_ERR_NO_MEM);
    return slot == no_memory;
  }
  if (put_early(peer, send, early_bytes, slot)) return true;
  abandon_slot(static_cast<std::uint32_t>(slot));
  return false;
}

// Puts a send that fits into the ring; false when there is no room.
bool put_payload(Peer& peer, Request& send) {
  auto bytes = static_cast<std::size_t>(send.bytes);
  if (!peer.link->has_room(lockfree::lines_for(bytes))) return false;
  char bounce[transport::bytes_in_lines_max];
  auto* data = static_cast<const char*>(send.buffer);
  if (!send.datatype->contiguous) {
    datatype::pack(*send.datatype, send.buffer, 0, bounce, send.bytes);
    data = bounce;
  }
  if (!put_line(peer, LineKind::payload, send.source, {send.context, send.tag}, data, bytes))
    return false;
  bool packed = bytes <= lockfree::first_line_payload_bytes;
  count_message(peer, packed ? Way::inline_eager : Way::eager, send.bytes);
  complete(send, MPI_SUCCESS);
  return true;
}

// Puts a send that is meant for the ring, which is full of such: one line of it and all the data in
// staging, where there is more room. False when that is full, too, or not for us.
bool put_beside_ring(Peer& peer, Request& send) {
  constexpr std::int64_t bytes_min = 1024;  // guess: shorter ones fit into the ring many at a time
  if (send.bytes < bytes_min || !peer.link->has_room(1)) return false;
  send.exported = transport::is_mappable_by(peer.local_rank, send.buffer);
  std::int64_t early_bytes = open_early(peer, send, send.exported);
  if (early_bytes == send.bytes) return put_early(peer, send, early_bytes, no_slot);
  if (early_bytes > 0) close_early(peer, send);
  return false;
}

bool put_request(Peer& peer, Request& request) {
  if (BATON_UNLIKELY(peer.is_remote())) return put_over_network(peer, request);
  get_lane_if_due(peer);
  bool put;
  if (BATON_UNLIKELY(request.kind == RequestKind::active)) return put_active(peer, request);
  if (request.kind == RequestKind::receive) {
    // Before anyone can answer.
    request.stage = Stage::streaming;
    const CtsLine line{request.limit, request.slot, request.stream, !request.span.empty()};
    put = put_line(peer, LineKind::cts, 0, {0, 0}, &line, sizeof line);
    // Only now: until it is put the receive may be in the queue.
    if (put && (!request.span.empty() || request.source_address)) start_stream_in(request);
  } else {
    transport::Choice choice = transport::choose_send(
        request.bytes, request.synchronous, peer.link->envelopes_only(), settings.eager_bytes_max);
    std::int64_t bytes = request.bytes;  // once put, it may be gone
    put = choice.way == Way::offered ? put_rts(peer, request)
                                     : put_payload(peer, request) || put_beside_ring(peer, request);
    if (put && bytes <= settings.eager_bytes_max) count_reason(peer, choice.reason, bytes);
  }
  if (put) notify(peer);
  return put;
}

}  // namespace

void submit(Peer& peer, Request& request) {
  platform::Guard guard(peer.send_lock);
  if (!peer.queued.first && engine.protocol->put(peer, request)) return;
  count(engine.counters.ring_full);
  wait_in_queue(peer, request);
}

void wait_in_queue(Peer& peer, Request& request) {
  request.stage = Stage::queued;
  peer.queued.push(&request);
  if (BATON_UNLIKELY(platform::threads_multiple)) wake_waiters();  // they would sleep too long
  platform::add_shared(engine.queued_count, 1u);
}

bool drain_queue(Peer& peer) {
  platform::Guard guard(peer.send_lock);
  bool any = false;
  while (Request* request = peer.queued.first) {
    // Take it out before it may complete and be freed.
    peer.queued.take_after(nullptr);
    if (!engine.protocol->put(peer, *request)) {
      request->next = peer.queued.first;
      peer.queued.first = request;
      if (!peer.queued.last) peer.queued.last = request;
      break;
    }
    platform::add_shared(engine.queued_count, ~0u);
    any = true;
  }
  return any;
}

namespace {

// The claimed offer is served: its sender may go on.
void end_offer(const UnexpectedMessage& unexpected) {
  if (unexpected.offer == no_slot) return;
  auto& offer = transport::offer(transport::local_rank_of(unexpected.process), unexpected.offer);
  // Claimed, or shared: no other moves it now.
  BATON_INVARIANT(
      lockfree::move_offer(offer, lockfree::offer_state(offer), lockfree::OfferState::done));
  wake_rank(unexpected.process);
}

// Asks the sender for what the early bytes do not hold.
void ask_for_stream(const UnexpectedMessage& unexpected, Request& receive) {
  receive.limit = receive.bytes;
  receive.slot = static_cast<std::uint32_t>(unexpected.offer);
  receive.stream = open_stream(receive);
  set_outstanding(receive, receive.limit);
  Peer* peer = contact(unexpected.process);
  BATON_INVARIANT(peer != nullptr);
  submit(*peer, receive);
}

}  // namespace

namespace {

// The receiver's side of an offer it has claimed: copies, or asks for a stream.
void accept_rts(UnexpectedMessage& unexpected, Request& receive) {
  Peer& peer = peer_of(unexpected.process);
  receive.position = 0;
  if (receive.bytes == 0 && unexpected.early_bytes == 0) {
    // Without payload the envelope's line was the whole message.
    platform::Guard guard(peer.send_lock);
    count_message(peer, Way::inline_eager, 0);
  } else if (unexpected.early_bytes > 0 || !pull(unexpected, receive)) {
    count_message(peer, Way::pipelined, receive.bytes);
    bool more = receive.bytes > unexpected.early_bytes;
    // While the beginning is still in staging, the sender goes on while we copy it: only who makes
    // progress comes here then, and takes in no more of it meanwhile. Else another thread may.
    const bool at_once = !unexpected.span.empty();
    // Filled only while we copy, and pullable, too: worth comparing. (A stream without early bytes
    // is timed from when its window comes: arrive_window.)
    receive.exported = unexpected.exported;
    const bool pullable = unexpected.sender_contiguous && receive.datatype->contiguous &&
                          (unexpected.exported || (receive.bytes >= engine.cma_bytes_min &&
                                                   transport::can_read_from(peer.local_rank)));
    const bool observed = pullable && (at_once ? is_touched(unexpected.span, unexpected.span.shift)
                                               : unexpected.early_bytes == 0);
    // Threads: it would be a long copy under the progress lock.
    receive.source_address =
        pullable && more && !platform::threads_multiple ? unexpected.address : 0;
    receive.waits = 0;
    receive.listed = false;
    receive.started_ticks = 0;
    if (observed) start_observing(receive);
    // What we wait for, we wait for; what is there was filled while we did something else.
    const bool both_busy = observed && at_once && peer.crossing.received() && is_filled(unexpected);
    receive.span = more && !unexpected.keeps_window ? lockfree::StagingSpan{} : unexpected.span;
    if (more && at_once) ask_for_stream(unexpected, receive);
    const std::int64_t start = observed ? platform::now_ticks() : 0;
    if (unexpected.early_bytes > 0) take_early(unexpected, receive);
    if (observed) count_copy_time(receive, start);
    if (more && !at_once) ask_for_stream(unexpected, receive);
    if (more && !unexpected.keeps_window && at_once) give_back(unexpected.span, unexpected.process);
    if (more) return;
    if (!unexpected.span.empty()) give_back(unexpected.span, unexpected.process);
    if (observed)
      observe(peer, receive.bytes, receive.exported, Taken::pipelined,
              cost_of_staged(receive, both_busy));
  }
  end_offer(unexpected);
  complete(receive, receive.error);
}

}  // namespace

void accept_pushed(const PushedLine& line, Request& receive) {
  Peer& peer = peer_of(receive.process);
  UnexpectedMessage unexpected;
  unexpected.process = peer.process;
  unexpected.offer = line.slot;
  auto* source = reinterpret_cast<const char*>(line.address);
  std::int64_t start = platform::now_ticks();
  bool pushed = false;
  transport::Offer& offer = transport::offer(peer.local_rank, line.slot);
  if (!copy_together(offer, peer, source, receive, &pushed)) {
    receive.position = 0;
    receive.started_ticks = 0;
    receive.source_address = 0;
    receive.listed = false;
    receive.span = {};
    return ask_for_stream(unexpected, receive);
  }
  observe(peer, receive.bytes, receive.exported, Taken::pulled,
          transport::cost_of_copy(receive.bytes, platform::now_ticks() - start,
                                  transport::Pushed::half, line.mapped));
  end_offer(unexpected);
  complete(receive, receive.error);
}

namespace {

// Frees the slots of sends that are done. Whether there were any; and a send whose receiver shares
// the copying, if there is one.
bool end_done_offers(Request** shared) {
  platform::Guard guard(engine.offers.lock);
  bool any = false;
  OfferSlots& offers = engine.offers;
  std::uint32_t pages =
      engine.about_to_sleep ? offers.in_use : std::min(offers.in_use, pages_per_poll);
  for (; pages > 0; --pages) {
    std::uint32_t page = offers.next_polled < offers.in_use ? offers.next_polled : 0;
    offers.next_polled = page + 1;
    for (std::uint64_t bits = offers.pages[page]->open; bits; bits &= bits - 1) {
      std::uint32_t slot = page * page_sends + static_cast<std::uint32_t>(std::countr_zero(bits));
      lockfree::OfferState state = lockfree::offer_state(own_offer(slot));
      Request* send = send_of(slot);
      if (state == lockfree::OfferState::shared) *shared = send;
      // What the receiver has taken back ends here only when its request for a stream has come: the
      // slot must not be another's by then.
      const bool asked = send && send->asked;
      if (state == lockfree::OfferState::given_back && asked) {
        BATON_INVARIANT(
            lockfree::move_offer(own_offer(slot), state, lockfree::OfferState::streaming));
        start_stream_out(*send);
        any = true;
        continue;
      }
      if (state != lockfree::OfferState::done && !(state == lockfree::OfferState::copied && asked))
        continue;
      close_slot(slot);
      if (send) {
        let_lease_go(*send);
        set_outstanding(*send, 0);
        complete(*send, MPI_SUCCESS);
      } else {
        platform::add_shared(engine.withdrawn_offers, ~0u);  // and the receiver has seen it
      }
      any = true;
    }
  }
  return any;
}

}  // namespace

bool poll_offers() {
  Request* shared = nullptr;
  bool any = end_done_offers(&shared);
  // Its slot closes only here, when it is done.
  // Under the progress lock, which other threads may wait for: a piece at a time.
  const std::uint64_t most = platform::threads_multiple ? 1 : ~std::uint64_t{0};
  if (shared) any |= push_pieces(own_offer(shared->slot), *shared, most) > 0;
  return any;
}

void arrive_cts(const CtsLine& line) {
  Request* send;
  {
    platform::Guard guard(engine.offers.lock);
    send = send_of(line.slot);
    BATON_INVARIANT(send != nullptr);
    send->limit = line.limit;
    send->stream = line.stream;
    send->new_window = !line.window_kept;
    send->asked = !lockfree::move_offer(own_offer(line.slot), lockfree::OfferState::claimed,
                                        lockfree::OfferState::streaming);
    if (send->asked) return;  // taken back: end_done_offers goes on with it
  }
  start_stream_out(*send);
}

void end_streamed_offer(Request& send) {
  platform::Guard guard(engine.offers.lock);
  BATON_INVARIANT(lockfree::move_offer(own_offer(send.slot), lockfree::OfferState::streaming,
                                       lockfree::OfferState::done));
  close_slot(send.slot);
}

bool withdraw(Request& send) {
  platform::Guard guard(engine.offers.lock);
  if (send.stage != Stage::offered || send_of(send.slot) != &send) return false;
  if (!lockfree::move_offer(own_offer(send.slot), lockfree::OfferState::offered,
                            lockfree::OfferState::withdrawn))
    return false;
  // The receiver still holds the envelope that names this slot: it stays open until it has looked.
  send_of(send.slot) = nullptr;
  let_lease_go(send);
  set_outstanding(send, 0);
  platform::add_shared(engine.withdrawn_offers, 1u);
  return true;
}

namespace {

Error start_rendezvous() {
  engine.posted_bytes_max = settings.eager_bytes_max;
  engine.tells_outstanding = true;
  return MPI_SUCCESS;
}

}  // namespace

const Protocol eager_and_rendezvous{
    .start = start_rendezvous,
    .stop = [] {},
    .begin = begin_link,
    .look = look_into_lane,
    .put = put_request,
    .advertise = advertise_receive,
    .close_advert = close_receive_advert,
    .accept = accept_rts,
    .carries_active = true,
};

}  // namespace baton::message
