// A stream carries bytes to and from another program over a connected socket, made here or by
// others. Each step has a deadline. The socket's blocking mode is not changed, since the socket may
// be shared.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Returns milliseconds on a clock that never goes back. Deadlines are times on it.
std::int64_t now_ms();

// Returns whether this descriptor is an open socket.
bool is_socket(int descriptor);
// Keeps the descriptor from the programs that this process starts.
void keep_from_children(int descriptor);

// Connects to HOST and PORT; -1 with errno (ETIMEDOUT: not within the deadline; EHOSTUNREACH: no
// such host). Names are resolved by the system, addresses as they are.
int connect_stream(const char* host, const char* port, std::int64_t deadline_ms);

// Sends all; false with errno. Raises no SIGPIPE.
bool send_all(int descriptor, const void* data, std::size_t bytes, std::int64_t deadline_ms);

// Receives the bytes that are there, at least one. Returns their number, 0 when the other side has
// closed, -1 with errno.
std::ptrdiff_t receive_some(int descriptor, void* data, std::size_t bytes,
                            std::int64_t deadline_ms);

void close_stream(int descriptor);

}  // namespace baton::platform
