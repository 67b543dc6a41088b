#include "message/node/stream_in.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/notify.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/queue.hpp"
#include "message/core/requests.hpp"
#include "message/node/copy_time.hpp"
#include "message/node/lease.hpp"
#include "message/node/observe.hpp"
#include "message/node/ownership_transfer.hpp"
#include "message/node/pull.hpp"
#include "message/node/staging_buffer.hpp"
#include "message/node/stream_out.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"
#include "platform/lock.hpp"
#include "transport/peer_wait.hpp"

namespace baton::message {

namespace {

void close_stream(const Request& receive) {
  NodeMessages& node = node_of(receive);
  platform::Guard guard(node.incoming.lock);
  node.incoming.receives[node_part(receive).stream] = nullptr;
}

// Calls take(source, bytes) for what has come between `position` and `end`, and as it comes, until
// `wait` says that this was enough waiting. Returns the new position.
template <class Take, class Wait>
std::int64_t follow(NodePeer& sender, const lockfree::StagingSpan& span, std::int64_t position,
                    std::int64_t end, Take take, Wait wait) {
  bool times = position == 0;
  return transport::empty(
      staging_of_receive(span, sender), position, end, span.filled,
      span.next_owner == NextOwner::receiver ? transport::Emptied::kept
                                             : transport::Emptied::published,
      [&](const char* source, std::int64_t bytes) {
        if (times && sender.timings.distance.is_due()) sender.timings.distance.time(source);
        times = false;
        take(source, bytes);
        return true;
      },
      wait);
}

// The next segment is often a look away, and a pause as long as several. (2026-11-22, cold data, 16
// to 256 KiB: .95 to .98 of the time.)
struct WaitForSender {
  explicit WaitForSender(const NodePeer& sender) : pause(sender.slot) {}
  bool operator()() { return ++looks % 16 != 0 || pause(); }
  std::uint32_t looks = 0;
  transport::PeerWait pause;
};

// Calls take(source, bytes) for the early bytes as they come; whether all of them have.
template <class Take>
bool follow_early(const UnexpectedMessage& unexpected, Take take) {
  NodePeer& sender = node_peer(unexpected.process);
  const std::int64_t end = node_part(unexpected).early_bytes;
  return follow(sender, node_part(unexpected).span, 0, end, take, WaitForSender(sender)) == end;
}

}  // namespace

namespace {

// Unpacks a part of what a receive gets.
void put_in(Request& receive, std::int64_t position, const char* from, std::int64_t bytes) {
  if (receive.is_run)
    platform::copy_run(static_cast<char*>(receive.buffer) + position, from,
                       static_cast<std::size_t>(bytes));
  else
    datatype::unpack(*receive.datatype, receive.buffer, position, from, bytes, receive.is_host);
}

}  // namespace

void give_back(const lockfree::StagingSpan& span, NodePeer& sender) {
  if (span.next_owner == NextOwner::receiver) return keep_transferred(sender, span);
  if (span.next_owner == NextOwner::sender) return;
  give_back_staging_buffer(sender.slot.own(), span.buffer);
}

void skip_early(const UnexpectedMessage& unexpected) {
  (void)follow_early(unexpected, [](const char*, std::int64_t) {});
  give_back(node_part(unexpected).span, node_peer(unexpected.process));
}

bool take_early(const UnexpectedMessage& unexpected, Request& receive) {
  receive.position = 0;
  bool all = true;
  auto take = [&](const char* source, std::int64_t there) {
    std::int64_t here = std::min(there, receive.bytes - receive.position);
    put_in(receive, receive.position, source, here);
    receive.position += here;
  };
  if (node_part(unexpected).span.empty())
    take(const_cast<UnexpectedMessage&>(unexpected).payload(), node_part(unexpected).early_bytes);
  else
    all = follow_early(unexpected, take);
  wake_rank(node_peer(unexpected.process).slot);  // it may wait for space
  return all;
}

bool take_early(const UnexpectedMessage& unexpected, char* target) {
  auto take = [&](const char* source, std::int64_t there) {
    platform::copy_run(target, source, static_cast<std::size_t>(there));
    target += there;
  };
  const bool all = follow_early(unexpected, take);
  wake_rank(node_peer(unexpected.process).slot);
  return all;
}

bool is_filled(const UnexpectedMessage& unexpected) {
  if (node_part(unexpected).span.filled) return true;
  return staging_of_receive(node_part(unexpected).span, node_peer(unexpected.process)).filled() >=
         node_part(unexpected).early_bytes;
}

transport::MoveCost cost_of_staged(const Request& receive, bool both_busy) {
  auto& progress =
      staging_of_receive(node_part(receive).span, node_peer(receive.process)).progress();
  const auto filling = static_cast<std::int64_t>(lockfree::fill_time(progress));
  // If both ranks are busy, each makes one copy of the other's messages and one of its own; where
  // it waits meanwhile, the other does the same.
  return {both_busy ? node_part(receive).copy_ticks + filling
                    : std::max(observed_ticks(receive), filling)};
}

Request& receive_of(NodeMessages& node, std::uint32_t stream) {
  platform::Guard guard(node.incoming.lock);
  return *node.incoming.receives[stream];
}

std::uint32_t open_stream(Request& receive) {
  IncomingStreams& incoming = node_of(receive).incoming;
  platform::Guard guard(incoming.lock);
  for (std::uint32_t i = 0; i < incoming.size; ++i)
    if (!incoming.receives[i]) {
      incoming.receives[i] = &receive;
      return i;
    }
  std::uint32_t size = std::max(16u, incoming.size * 2);
  auto** grown = static_cast<Request**>(std::realloc(incoming.receives, size * sizeof(Request*)));
  BATON_INVARIANT(grown != nullptr);
  incoming.receives = grown;
  std::fill(incoming.receives + incoming.size, incoming.receives + size, nullptr);
  std::uint32_t stream = incoming.size;
  incoming.size = size;
  incoming.receives[stream] = &receive;
  return stream;
}

void ask_for_stream(Process sender, std::int32_t slot, Request& receive) {
  NodeRequest& part = node_part(receive);
  part.limit = receive.bytes;
  part.slot = static_cast<std::uint32_t>(slot);
  part.stream = open_stream(receive);
  set_outstanding(receive, part.limit);
  Peer* peer = contact(sender);
  BATON_INVARIANT(peer != nullptr);
  submit(*peer, receive);
}

void start_stream_in(Request& receive) {
  node_part(receive).listed = true;
  node_of(receive).streams_in.push(&receive);
  node_of(receive).count_streams(1u);
}

namespace {

// Returns whether a stream has waited too long for its beginning: its sender makes no progress, so
// that it had better be pulled.
bool waits_too_long(Request& receive) {
  constexpr std::uint8_t patience = 250;  // guess: some 20 microseconds
  return node_part(receive).source_address &&
         (++node_part(receive).waits >= patience || engine.about_to_sleep);
}

// Returns whether anything has come.
bool advance(Request& receive) {
  // guess: the sender needs less for its next segment; but what we could send meanwhile comes first
  const int looks = node_of(receive).streams_out.first ? 1 : 32;
  int left = looks;
  auto take = [&](const char* source, std::int64_t bytes) {
    put_in(receive, receive.position, source, bytes);
    receive.position += bytes;
    left = looks;
  };
  auto wait = [&] {
    platform::pause_cpu();
    return --left > 0;
  };
  if (node_part(receive).span.empty()) return waits_too_long(receive) && take_back_stream(receive);
  std::int64_t before = receive.position;
  // Other threads may wait for the progress lock.
  const std::int64_t end = platform::threads_multiple
                               ? std::min(node_part(receive).limit, before + bytes_per_round)
                               : node_part(receive).limit;
  const std::int64_t start = platform::now_ticks();
  NodePeer& sender = node_peer(receive.process);
  follow(sender, node_part(receive).span, before, end, take, wait);
  if (receive.position == before) return waits_too_long(receive) && take_back_stream(receive);
  node_part(receive).source_address = 0;
  count_copy_time(receive, start);
  wake_rank(sender.slot);  // it may wait for space
  return true;
}

}  // namespace

void end_stream_in(Request& receive, Error error) {
  close_stream(receive);
  set_outstanding(receive, 0);
  complete(receive, error);
}

void fail_streams_in(const Peer& sender, Error error) {
  NodeMessages& node = node_of(sender);
  Request* before = nullptr;
  for (Request* receive = node.streams_in.first; receive;) {
    Request* next = receive->next;
    if (receive->process == sender.process) {
      node.streams_in.take_after(before);
      node.count_streams(~0u);
      end_stream_in(*receive, error);
    } else {
      before = receive;
    }
    receive = next;
  }
  // The sender was still to say where these come.
  for (std::uint32_t i = 0;; ++i) {
    Request* receive;
    {
      platform::Guard guard(node.incoming.lock);  // another thread may open one, and the table grow
      if (i >= node.incoming.size) return;
      receive = node.incoming.receives[i];
    }
    if (receive && receive->process == sender.process && receive->stage == Stage::streaming)
      end_stream_in(*receive, error);
  }
}

void catch_up(const Peer& peer) {
  for (Request* receive = node_of(peer).streams_in.first; receive; receive = receive->next)
    if (receive->process == peer.process &&
        node_part(*receive).span.next_owner == NextOwner::sender)
      while (receive->position < node_part(*receive).limit) advance(*receive);
}

void arrive_staging_buffer(NodePeer& peer, const StagingBufferLine& line) {
  if (line.span.next_owner == NextOwner::sender) catch_up(peer);
  Request& receive = receive_of(node_of(peer), line.stream);
  node_part(receive).span = line.span;
  // Its sender did not copy it to our device.
  if (BATON_UNLIKELY(node_part(receive).by_device)) {
    node_part(receive).by_device = false;
    count_message(peer, Way::pipelined, receive.bytes);
  }
  // It may have waited for others of its sender, whose time is not its own.
  if (node_part(receive).started_ticks && receive.position == 0) start_observing(receive);
  node_part(receive).source_address = 0;
  if (!node_part(receive).listed) start_stream_in(receive);
}

bool advance_streams_in(NodeMessages& node) {
  bool any = false;
  Request* before = nullptr;
  for (Request* receive = node.streams_in.first; receive;) {
    Request* next = receive->next;
    if (advance(*receive)) {
      set_outstanding(*receive, node_part(*receive).limit - receive->position);
      any = true;
    }
    if (receive->position == node_part(*receive).limit) {
      node.streams_in.take_after(before);
      node.count_streams(~0u);
      if (!node_part(*receive).span.empty())
        give_back(node_part(*receive).span, node_peer(receive->process));
      close_stream(*receive);
      set_outstanding(*receive, 0);
      if (node_part(*receive).started_ticks)
        observe(node_peer(receive->process), receive->bytes, node_part(*receive).exported,
                Taken::pipelined,
                cost_of_staged(*receive, platform::load_shared(node.open_entries) > 0));
      complete(*receive, receive->error);
    } else {
      before = receive;
    }
    receive = next;
  }
  return any;
}

}  // namespace baton::message
