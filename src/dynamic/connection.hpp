// The connection over which the leaders of two groups meet that have no communicator in common, and
// waiting for such sockets while messages make progress.
#pragma once

#include <poll.h>

#include "message/core/wait.hpp"
#include "world/intercommunicator.hpp"

namespace baton::dynamic {

// A socket that this thread waits for: a rank that sleeps wakes up when something comes there.
class WatchedSocket {
 public:
  explicit WatchedSocket(int socket, short events = POLLIN);
  ~WatchedSocket();
  WatchedSocket(const WatchedSocket&) = delete;
  WatchedSocket& operator=(const WatchedSocket&) = delete;

 private:
  friend class SocketWatch;
  int socket_;
  short events_;
  WatchedSocket* next_ = nullptr;
};

// The leader's channel to the other leader over a socket.
class Connection final : public world::LeaderChannel {
 public:
  // `comm`: whose ranks meet the others; when it has lost one, or is revoked, nothing is waited
  // for. `owned`: the socket is closed in the end. `key`: what only the two sides know; null: there
  // is no such thing, and what they agree on goes as it is, over the kernel's sockets of this host
  // or over the program's own.
  Connection(const Communicator& comm, int socket, bool owned, const Key* key = nullptr)
      : comm_(comm),
        socket_(socket),
        owned_(owned),
        is_secret_(key != nullptr),
        key_(key ? *key : Key{}) {}
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  // Errors, explained: MPI_ERR_PORT, the other side is gone or has not answered for so long; those
  // of message::broken.
  Error exchange(const void* mine, std::int64_t bytes, void* theirs,
                 std::int64_t their_bytes) override;
  Error agree_key(Key* key) override;
  // Finds out that the other side has accepted, and has the same Baton. Errors, explained: as
  // above, MPI_ERR_OTHER.
  [[nodiscard]] Error greet();
  // From now on an exchange ends with an error when it has taken so long; 0: never.
  void set_patience(double seconds) { patience_seconds_ = seconds; }

 private:
  const Communicator& comm_;
  int socket_;
  bool owned_;
  bool is_secret_;
  Key key_;
  double patience_seconds_ = 0;
};

}  // namespace baton::dynamic
