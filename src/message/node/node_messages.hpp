// The node's part of the engine, which the files of this folder share: what is offered and streams,
// and how lines get to a peer of this node.
#pragma once

#include <cstdlib>

#include "message/core/protocol.hpp"
#include "message/node/lines.hpp"
#include "message/node/node_peer.hpp"
#include "message/node/node_request.hpp"

namespace baton::message {

// Sends by the slots of our rendezvous entries; pages are added when they are needed. Under its
// lock.
struct RendezvousSlots {
  static constexpr std::uint32_t page_sends = 64;
  static constexpr std::uint32_t pages_max = lockfree::rendezvous_entries_per_rank / page_sends;
  struct Page {
    Request* sends[page_sends] = {};  // null: free, or withdrawn
    std::uint64_t open = 0;           // a bit each
  };
  Page** pages = nullptr;  // has space for a power of two of them
  std::uint32_t in_use = 0;
  std::uint32_t full = 0;  // all pages below have no free slot
  std::uint32_t next_polled = 0;
  platform::Lock lock;

  ~RendezvousSlots() { forget(); }
  void forget() {
    for (std::uint32_t i = 0; i < in_use; ++i) delete pages[i];
    std::free(pages);
    pages = nullptr;
    in_use = full = next_polled = 0;
  }
};

// Receives that streams fill, by the numbers of the streams; null: free. Under its lock.
struct IncomingStreams {
  Request** receives = nullptr;
  std::uint32_t size = 0;
  platform::Lock lock;
};

struct DeviceReceive;  // device_receive.cpp
struct DeviceSend;     // device_send.cpp

class NodeMessages : public Protocol {
 public:
  // The peers have their slots beside `own`, this process's.
  explicit NodeMessages(transport::Slot own) : own_slot(own) {}
  ~NodeMessages() override { forget_messages(); }
  // Frees what is kept for messages, of which none is under way.
  void forget_messages() {
    delete inbox;
    inbox = nullptr;
    inbox_account.senders = nullptr;
    inbox_account.tell = nullptr;
    std::free(incoming.receives);
    incoming.receives = nullptr;
    incoming.size = 0;
    slots.forget();
    platform::store_shared(open_entries, 0);
    platform::store_shared(withdrawn_entries, 0);
  }

  // These count what is under way, so that progress looks at it.
  void count_entries(std::uint32_t number) {
    platform::add_shared(open_entries, number);
    add(number);
  }
  void count_streams(std::uint32_t number) {
    platform::add_shared(stream_count, number);
    add(number);
  }

  void count_device_copies(std::uint32_t number) {
    platform::add_shared(device_copy_count, number);
    add(number);
  }

  transport::Slot own_slot;  // changes only between arenas of meeting
  // The link of a peer; null: no memory.
  transport::Link* (*make_link)(transport::Slot peer, transport::LineSender& out,
                                transport::LineReceiver& in) = nullptr;
  // Where lines come that no lane of a pair's own carries, or null; and what of them is kept.
  transport::Inbox* inbox = nullptr;
  Account inbox_account;
  std::int64_t cma_bytes_min = 0;  // the setting, or what is better where ranks are oversubscribed
  RendezvousSlots slots;
  std::uint32_t open_entries = 0;
  std::uint32_t withdrawn_entries = 0;  // of these; their receivers have not looked yet
  IncomingStreams incoming;
  List<Request> streams_out;
  List<Request> streams_in;
  std::uint32_t stream_count = 0;       // sends and receives that stream now
  List<DeviceReceive> device_receives;  // whose copies are under way; under their lock
  platform::Lock device_receives_lock;
  List<DeviceSend> device_sends;        // the same; under the progress lock
  std::uint32_t device_copy_count = 0;  // of both
  std::int64_t copy_ticks = 0;          // that went into long copies (copy_time.hpp)
};

// Returns a peer of this node that was met, and the protocol that it has.
inline NodePeer& node_peer(Process process) {
  return static_cast<NodePeer&>(peer_of(process));
}
inline NodeMessages& node_of(const Peer& peer) {
  return static_cast<NodeMessages&>(*peer.protocol);
}
inline NodeMessages& node_of(const Request& request) {
  return node_of(peer_of(request.process));
}

// --- lines to a peer, under its send lock.
// Puts a line, or a message in as many as it needs; false, and nothing has happened, when there is
// no space.
bool put_line(NodePeer& peer, unsigned kind, std::int32_t source, lockfree::Envelope envelope,
              const void* payload, std::size_t bytes);
inline bool put_line(NodePeer& peer, LineKind kind, std::int32_t source,
                     lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  return put_line(peer, static_cast<unsigned>(kind), source, envelope, payload, bytes);
}
inline bool put_line(NodePeer& peer, NodeLine kind, std::int32_t source,
                     lockfree::Envelope envelope, const void* payload, std::size_t bytes) {
  return put_line(peer, static_cast<unsigned>(kind), source, envelope, payload, bytes);
}
// Looks now and then whether the receiver wishes for envelopes only: who fills no ring with what it
// sends would miss that for long.
inline void look_now_and_then(NodePeer& peer) {
  constexpr int sends_per_look = 4;  // guess
  if (++peer.early_sends % sends_per_look == 0) peer.link->look();
}
// Its lines come in a lane of its own from now on. Under the progress lock.
void open_lane(NodePeer& peer);
// A peer that shares its way there gets one of its own, where it is worth it and there is one left.
void get_lane_if_due(NodePeer& peer);

}  // namespace baton::message
