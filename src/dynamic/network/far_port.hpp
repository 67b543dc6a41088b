// Ports that other hosts reach, by TCP: a port's name then lists addresses, and its secret is what
// both sides prove to know (handshake.hpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "dynamic/connection.hpp"
#include "dynamic/network/handshake.hpp"

namespace baton::dynamic {

// Where a port is to be: the info keys ip_address and ip_port of the standard; empty, 0: anywhere.
struct Endpoint {
  std::string address;
  int number = 0;
};

class FarPort {
 public:
  FarPort() = default;
  ~FarPort();
  FarPort(const FarPort&) = delete;
  FarPort& operator=(const FarPort&) = delete;

  // Opens it. Error, explained: MPI_ERR_OTHER.
  [[nodiscard]] Error open(const Endpoint& wanted);
  bool is_open() const { return socket_ >= 0; }
  // Returns how others get here: "192.0.2.1:4711,[2001:db8::1]:4711"; empty: this host has no
  // interface that leads outside.
  std::string addresses() const;
  // Returns a connection to somebody who knows the secret, and its key; -1: there is none now.
  // Those who do not prove it are sent away; others may go on with the
  // proof at a later call.
  int accept(Key secret, Key* key);
  // A thread that waits sleeps no longer than until something comes here; or it does not wait any
  // more.
  void begin_waiting();
  void end_waiting();

 private:
  struct Stranger {
    Stranger(int connection, Key secret);
    ~Stranger();
    int socket;
    Handshake handshake;
    std::int64_t came_ms;
    std::optional<WatchedSocket> watched;
  };
  int socket_ = -1;
  Endpoint wanted_;
  std::optional<WatchedSocket> watched_;
  std::vector<std::unique_ptr<Stranger>> strangers_;
};

// Connects to a port by one of its addresses and proves the secret; gives up after so many seconds,
// or when `comm`, whose ranks are to meet the others, has lost one or is revoked. Returns the
// connection, and its key; -1, explained: MPI_ERR_PORT, and errors of message::broken.
int connect_far(const Communicator& comm, const std::string& addresses, Key secret, double seconds,
                Key* key);

// Lets the kernel find out when the other host is gone.
void keep_watch_on(int socket);

}  // namespace baton::dynamic
