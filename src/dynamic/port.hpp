// Ports, and groups that become an intercommunicator over one ("Establishing Communication" in the
// chapter on process creation of the MPI standard). On one host the two leaders find each other by
// a socket of the kernel's, elsewhere by TCP. All of it may be called by any thread.
#pragma once

#include <optional>
#include <string>

#include "dynamic/connection.hpp"
#include "dynamic/network/far_port.hpp"
#include "message/core/loss.hpp"
#include "platform/local_port.hpp"
#include "platform/stream.hpp"
#include "world/communicator.hpp"

namespace baton::dynamic {

// The time after which a connection fails that nobody accepts, where the info does not say.
inline constexpr double connect_patience_seconds = 180;  // as other MPI libraries have it

// Opens a port; `name` has MPI_MAX_PORT_NAME bytes. Errors, explained: MPI_ERR_OTHER,
// MPI_ERR_INFO_VALUE.
[[nodiscard]] Error open_port(const Endpoint& wanted, char* name);
// Closes a port of this process: who waits there hears of it. Error: MPI_ERR_PORT.
[[nodiscard]] Error close_port(const char* name);

// A port of this process while it is used: nobody else accepts there.
struct OpenPort {
  ~OpenPort();
  // Opens it, for other hosts too where `wanted` says so. Errors, explained, as of open_port.
  [[nodiscard]] Error open(const Endpoint* wanted);

  std::string name;  // of the whole port
  platform::PortName local;
  int socket = -1;
  FarPort far;
  OpenPort* next = nullptr;
};

// Waits until somebody connects for the ranks of `comm`, whom `channel` then talks to. `goes_on` is
// asked now and then; it returns an error, explained, when nobody will come. After `seconds` (0:
// never) nobody is waited for. Errors, explained: MPI_ERR_PORT, and those of Connection::greet.
template <class GoesOn>
[[nodiscard]] Error await_connection(const Communicator& comm, OpenPort& port, double seconds,
                                     GoesOn&& goes_on, std::optional<Connection>& channel);
// Returns the secret in a port's name.
Key secret_of(const char* name);

// The root's arguments, which count there only.
struct RootArguments {
  const char* port;  // its name
  double seconds;    // the time after which nobody is waited for; 0: the default
  Error problem;     // the root's arguments are not valid, as explained: all get an error
};
// These are collective over `comm`, which has one group, and over the group on the other side.
// Errors, explained: MPI_ERR_PORT; MPI_ERR_OTHER, MPI_ERR_COMM as of
// world::create_intercommunicator.
[[nodiscard]] Error accept(Communicator& comm, int root, const RootArguments& arguments,
                           Communicator** made);
[[nodiscard]] Error connect(Communicator& comm, int root, const RootArguments& arguments,
                            Communicator** made);
// Makes an intercommunicator of this process and the one at the other end of a connected socket,
// which stays the caller's. The same errors.
[[nodiscard]] Error join(int socket, Communicator** made);

// Ends the communicator when all its ranks have come here, and forgets processes of other jobs that
// no group has any more.
[[nodiscard]] Error disconnect(Communicator& comm);

// Closes the ports that the program has left open.
void close_ports();

template <class GoesOn>
Error await_connection(const Communicator& comm, OpenPort& port, double seconds, GoesOn&& goes_on,
                       std::optional<Connection>& channel) {
  const WatchedSocket watched(port.socket);
  port.far.begin_waiting();
  const std::int64_t end_ms = platform::now_ms() + static_cast<std::int64_t>(seconds * 1000);
  const Key secret = secret_of(port.name.c_str());
  Error error = MPI_SUCCESS;
  do {
    channel.reset();
    message::wait_until([&] {
      if (channel) return true;  // it may be asked again
      if (const int near = platform::accept_at_port(port.socket, port.local); near >= 0) {
        channel.emplace(comm, near, true);
        return true;
      }
      Key key;
      if (const int far = port.far.accept(secret, &key); far >= 0) {
        channel.emplace(comm, far, true, &key);
        return true;
      }
      error = message::broken(&comm);
      if (!error) error = goes_on();
      if (!error && seconds > 0 && platform::now_ms() >= end_ms)
        error = fail(MPI_ERR_PORT, "nobody has connected for %g s (info key timeout)", seconds);
      return error != MPI_SUCCESS;
    });
    if (channel) error = channel->greet();
    // Whoever has given up or died since it connected is nobody.
  } while (channel && error == MPI_ERR_PORT);
  port.far.end_waiting();
  return error;
}

}  // namespace baton::dynamic
