// What goes through the sockets of tests/message/socket_protocol.hpp: frames of a head and a
// payload, and the inbox where they come.
#pragma once

#include <sys/socket.h>

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

  bool is_full() const { return unsent.size() > 8192; }
  void put(unsigned kind, std::int32_t source, transport::Envelope envelope, const void* payload,
           std::size_t bytes) {
    const SocketFrame frame{lockfree::make_header(kind, bytes, source), envelope, bytes};
    const auto* head = reinterpret_cast<const char*>(&frame);
    const auto* data = static_cast<const char*>(payload);
    unsent.insert(unsent.end(), head, head + sizeof frame);
    unsent.insert(unsent.end(), data, data + bytes);
    flush();
  }
  template <class Line>
  void put(SocketLine kind, transport::Envelope envelope, const Line& line,
           std::int32_t source = 0) {
    put(static_cast<unsigned>(kind), source, envelope, &line, sizeof line);
  }
  // Whether anything left, or came.
  bool flush() {
    const ssize_t sent = ::send(socket, unsent.data(), unsent.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent <= 0) return false;
    unsent.erase(unsent.begin(), unsent.begin() + sent);
    return true;
  }
  bool fetch() {
    char bytes[4096];
    const ssize_t came = ::recv(socket, bytes, sizeof bytes, MSG_DONTWAIT);
    if (came <= 0) return false;
    unread.insert(unread.end(), bytes, bytes + came);
    return true;
  }
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
