// Watches whether another host is still there, by a TCP connection to where one of its processes
// listens for the provider's connections. Nothing is sent over it; the kernel there answers for a
// process that computes, and ends the connection with the process. It is used by
// message/network/peer_loss.
// Invariant: one thread at a time calls this, under the progress lock.
#pragma once

#include <sys/socket.h>

#include <cstdint>

#include "base/identity.hpp"
#include "transport/network/endpoint.hpp"

namespace baton::transport::network {

// Reads where a TCP provider's process listens. Returns false where the address is of another kind.
bool read_socket_address(const Address& address, sockaddr_storage* socket_address,
                         socklen_t* bytes);

// How long a sign of life may be missing, in milliseconds, before the host is taken for lost.
struct WatchPatience {
  std::int64_t silent;   // where there was a sign before
  std::int64_t first;    // where there was none yet: a firewall may bar the way
  std::int64_t refused;  // where the host answers, and says that nobody listens
};

enum class WatchResult { none, process_gone, host_silent };

class HostWatch {
 public:
  HostWatch() = default;
  HostWatch(const HostWatch&) = delete;
  HostWatch& operator=(const HostWatch&) = delete;
  ~HostWatch() { close(); }

  // Watches that process from now on; `own` is the address of this process.
  void aim(Process process, const Address& address, const Address& own);
  void close();
  // Watches no process any more.
  void forget_aim() { address_bytes_ = 0; }
  // Notes that something has come from the host, by whatever way.
  void heard() { reached_ = true; }
  // Returns what has become clear by now; it is called again and again. It makes no system call
  // that waits.
  WatchResult look(std::int64_t now_ms, const WatchPatience& patience);

  Process process() const { return process_; }
  // The errno of what `look` has found.
  int error() const { return error_; }
  // Returns whether any process of the host has ever answered.
  bool was_reached() const { return reached_; }

 private:
  int open();
  void begin_trying(std::int64_t now_ms, const WatchPatience& patience);
  void look_at_trying(std::int64_t now_ms, const WatchPatience& patience);
  WatchResult look_at_connected(std::int64_t now_ms);
  void failed(int error, std::int64_t now_ms);

  Process process_{};
  sockaddr_storage address_{};
  sockaddr_storage own_{};
  socklen_t address_bytes_ = 0;
  int descriptor_ = -1;
  bool connected_ = false;
  bool reached_ = false;
  int error_ = 0;
  std::int64_t tried_ms_ = 0;          // when the present try began
  std::int64_t failing_since_ms_ = 0;  // 0: it does not fail
};

// Cuts this process's connections with a host that is lost, so that the provider gives back the
// operations that are on their way there: connections to a port of `peer`, and those that came from
// there to our own.
void cut_connections(const Address& peer, const Address& own);

}  // namespace baton::transport::network
