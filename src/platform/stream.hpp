// Bytes to and from another program over a connected socket that others made or that is made here,
// each step with a deadline. The socket's own mode is left as it is: it may be shared.
#pragma once

#include <cstddef>
#include <cstdint>

namespace baton::platform {

// Milliseconds on a clock that only goes forward. Deadlines are times on it.
std::int64_t now_ms();

// Whether this descriptor is an open socket.
bool is_socket(int descriptor);
// What this process starts shall not have it.
void keep_from_children(int descriptor);

// A connection to HOST and PORT; -1 with errno (ETIMEDOUT: not within the deadline; EHOSTUNREACH:
// no such host). Names are resolved by the system, addresses as they are.
int connect_stream(const char* host, const char* port, std::int64_t deadline_ms);

// Sends all; false with errno. Raises no SIGPIPE.
bool send_all(int descriptor, const void* data, std::size_t bytes, std::int64_t deadline_ms);

// What there is, at least a byte: its length, 0 when the other side has closed, -1 with errno.
std::ptrdiff_t receive_some(int descriptor, void* data, std::size_t bytes,
                            std::int64_t deadline_ms);

void close_stream(int descriptor);

}  // namespace baton::platform
