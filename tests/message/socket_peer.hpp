// What goes through the sockets of tests/message/socket_protocol.hpp: frames of a head and a
// payload, and the inbox where they come.
#pragma once

#include <cstring>
#include <vector>

#include "message/core/protocol.hpp"

namespace baton::message {

// --- what the two ends put for each other
enum class SocketLine : unsigned {
  rts = static_cast<unsigned>(LineKind::first_of_protocol),
  cts,
  data,
  cancel,     // the sender of an RTS wants it back
  cancelled,  // and gets it
};
struct SocketRts {
  std::int64_t bytes;
  std::uint32_t send;  // the sender's number of it
};
struct SocketCts {
  std::int64_t limit;  // bytes the receiver wants
  std::uint32_t send, receive;
};
struct SocketData {
  std::int64_t position, bytes;
  std::uint32_t receive;
  char data[1000];
};

struct SocketFrame {
  transport::Header header;
  transport::Envelope envelope;
  std::uint64_t bytes;
};

// --- what is kept of a request, and of a message that was offered
struct SocketPart {
  std::uint32_t number;  // ours
  std::uint32_t send;    // the sender's; of a receive
  std::int64_t limit;
};

struct SocketPeer final : Peer {
  int socket = -1;
  std::vector<char> unsent, unread;
};

// Frames that have come from one peer.
class SocketInbox final : public transport::Inbox {
 public:
  explicit SocketInbox(SocketPeer& peer) : peer_(peer) {}
  transport::Header peek() override {
    if (peer_.unread.size() < sizeof frame_) return {0};
    std::memcpy(&frame_, peer_.unread.data(), sizeof frame_);
    const bool whole = peer_.unread.size() >= sizeof frame_ + frame_.bytes;
    return {whole ? frame_.header.bits | 1 : 0};  // a lap: something is there
  }
  Process sender() const override { return peer_.process; }
  transport::Envelope envelope() const override { return frame_.envelope; }
  void read(void* target, std::size_t wanted) const override {
    std::memcpy(target, payload(), wanted);
  }
  const void* payload() const override { return peer_.unread.data() + sizeof frame_; }
  void take(void* target, std::size_t wanted, std::size_t) override {
    if (wanted > 0) read(target, wanted);
    peer_.unread.erase(peer_.unread.begin(),
                       peer_.unread.begin() + static_cast<long>(sizeof frame_ + frame_.bytes));
  }
  void set_envelopes_only(bool) override {}

 private:
  SocketPeer& peer_;
  SocketFrame frame_{};
};

}  // namespace baton::message
