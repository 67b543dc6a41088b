// A process on another node as the network's protocol knows it, the lines that the two put for each
// other, and what the protocol keeps of requests and offered messages. Used by the files of this
// folder. Invariant: as of message/core/peer.hpp.
#pragma once

#include "message/core/protocol.hpp"
#include "message/network/known_adverts.hpp"
#include "transport/network/network_link.hpp"

namespace baton::message {

enum class NetworkLine : unsigned {
  rts = static_cast<unsigned>(LineKind::first_of_protocol),  // an envelope
  cts,                                                       // the receiver's answer
  advert,  // a receive that its sender may write into (known_adverts.hpp)
};

// A sender's envelope: its data waits for its receiver's answer.
struct NetworkRtsLine {
  std::int64_t bytes;
  std::uint32_t send;        // the sender's number of it
  std::uint16_t head_bytes;  // its first ones, which are here: the rest is copied more quickly then
  std::uint16_t from_device;  // 1: the network reads it from device memory
  char head[48];
};
// A receiver's answer: where a part of the message, or all of it, goes.
struct NetworkCtsLine {
  std::uint64_t address;
  std::uint64_t keys[transport::network::rails_max];  // for each of the receiver's interfaces
  std::int64_t offset;                                // of the part, in the message
  std::int64_t bytes;                                 // of the part
  std::int64_t limit;  // of the message, as far as the receiver wants it
  std::uint32_t send;
  std::uint32_t receive;      // the receiver's number, told with each write
  std::uint32_t write_bytes;  // of each write but the last
  std::int32_t rails;         // so many keys
};

struct NetworkRequest {
  std::uint32_t rendezvous;  // its number (rendezvous_table.hpp)
  bool asked;                // a receive whose sender has been asked not to use its advert
};

struct NetworkUnexpected {
  std::uint32_t send;        // the sender's number of it
  std::uint32_t head_bytes;  // so many stand behind the message's head
  bool from_device;          // the network reads it from device memory
};

inline NetworkRequest& network_part(Request& request) {
  return request.part.as<NetworkRequest>();
}
inline const NetworkRequest& network_part(const Request& request) {
  return request.part.as<NetworkRequest>();
}
inline NetworkUnexpected& network_part(UnexpectedMessage& unexpected) {
  return unexpected.part.as<NetworkUnexpected>();
}
inline const NetworkUnexpected& network_part(const UnexpectedMessage& unexpected) {
  return unexpected.part.as<NetworkUnexpected>();
}

struct RemotePeer final : Peer {
  explicit RemotePeer(Process there) : link(there) {}
  transport::network::NetworkLink link;
  NetworkAdverts adverts;
};

// A peer on another node that was met.
inline RemotePeer& remote_peer(Process process) {
  return static_cast<RemotePeer&>(peer_of(process));
}

// Puts a line; false, and nothing has happened, when there is no space. Under the send lock.
inline bool put_line(RemotePeer& peer, NetworkLine kind, std::int32_t source,
                     lockfree::Envelope envelope, const void* line, std::size_t bytes) {
  return peer.link.put(lockfree::make_header(static_cast<unsigned>(kind), 0, source), envelope,
                       line, bytes);
}

}  // namespace baton::message
