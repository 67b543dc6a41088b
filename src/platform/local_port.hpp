// Ports of this host, by which two processes of one user get a connection: sockets without a file,
// so that nothing is left behind when their process dies. A port's name holds a secret that whoever
// connects has to know, and the kernel says which user that is.
#pragma once

#include <cstddef>

namespace baton::platform {

// The name of a port is a text without spaces: "baton:", the socket's address, "." and the secret,
// both as 32 hexadecimal digits. What stands behind an "@" says how other hosts get there, and does
// not count here (dynamic/network/far_port.hpp).
struct PortName {
  static constexpr std::size_t text_size = 80;
  char text[text_size] = {};
};

// Opens a port under a name that nobody can guess. Returns the socket, which does not block and is
// not inherited by programs; -1 with errno set.
int open_port(PortName* name);
// Returns a connection that has been made to a port and that knows its secret. -1 with errno
// EAGAIN: there is none now; others that came were sent away.
int accept_at_port(int socket, const PortName& name);
// Connects to a port. -1 with errno set: EINVAL, the text is no name of a port; ECONNREFUSED, there
// is no such port; EACCES, it is another user's; EAGAIN, as many as can wait there.
int connect_to_port(const char* name);

// These two transfer as much as is possible without blocking. They return the number of bytes; 0:
// nothing now; -1 with errno set: the connection has ended (EPIPE: the other side has ended it).
long send_some(int socket, const void* data, std::size_t bytes);
long receive_some(int socket, void* data, std::size_t bytes);

}  // namespace baton::platform
