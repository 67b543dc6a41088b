#include "platform/stream.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace baton::platform {

namespace {

// Waits until one of the events is ready; false with errno.
bool wait_for(int descriptor, short events, std::int64_t deadline_ms) {
  for (;;) {
    const std::int64_t left = deadline_ms - now_ms();
    if (left <= 0) {
      errno = ETIMEDOUT;
      return false;
    }
    pollfd state{descriptor, events, 0};
    const int ready = ::poll(&state, 1, static_cast<int>(std::min<std::int64_t>(left, 60000)));
    // Errors and a closed connection are reported by the call that follows.
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

bool must_wait(int error) {
  return error == EAGAIN || error == EWOULDBLOCK;
}

int connect_to(const addrinfo& address, std::int64_t deadline_ms) {
  const int kind = address.ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK;
  const int descriptor = ::socket(address.ai_family, kind, address.ai_protocol);
  if (descriptor < 0) return -1;
  int error = 0;
  if (::connect(descriptor, address.ai_addr, address.ai_addrlen) != 0) {
    error = errno;
    if (error == EINPROGRESS) {
      socklen_t size = sizeof error;
      if (!wait_for(descriptor, POLLOUT, deadline_ms))
        error = errno;
      else if (::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0)
        error = errno;
    }
  }
  if (error == 0) return descriptor;
  ::close(descriptor);
  errno = error;
  return -1;
}

}  // namespace

std::int64_t now_ms() {
  timespec now;
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1000} + now.tv_nsec / 1000000;
}

bool is_socket(int descriptor) {
  struct stat about;
  return descriptor >= 0 && ::fstat(descriptor, &about) == 0 && S_ISSOCK(about.st_mode);
}

void keep_from_children(int descriptor) {
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
}

int connect_stream(const char* host, const char* port, std::int64_t deadline_ms) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV;
  int error = ::getaddrinfo(host, port, &wanted, &found);
  if (error == EAI_NONAME) {
    wanted.ai_flags = AI_NUMERICSERV;
    error = ::getaddrinfo(host, port, &wanted, &found);
  }
  if (error != 0) {
    if (error != EAI_SYSTEM) errno = EHOSTUNREACH;
    return -1;
  }
  int descriptor = -1;
  for (const addrinfo* one = found; one && descriptor < 0; one = one->ai_next)
    descriptor = connect_to(*one, deadline_ms);
  const int why = errno;
  ::freeaddrinfo(found);
  errno = why;
  return descriptor;
}

bool send_all(int descriptor, const void* data, std::size_t bytes, std::int64_t deadline_ms) {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t sent = ::send(descriptor, next, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      next += sent;
      bytes -= static_cast<std::size_t>(sent);
    } else if (must_wait(errno)) {
      if (!wait_for(descriptor, POLLOUT, deadline_ms)) return false;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::ptrdiff_t receive_some(int descriptor, void* data, std::size_t bytes,
                            std::int64_t deadline_ms) {
  for (;;) {
    const ssize_t received = ::recv(descriptor, data, bytes, MSG_DONTWAIT);
    if (received >= 0) return received;
    if (must_wait(errno)) {
      if (!wait_for(descriptor, POLLIN, deadline_ms)) return -1;
    } else if (errno != EINTR) {
      return -1;
    }
  }
}

void close_stream(int descriptor) {
  ::close(descriptor);
}

}  // namespace baton::platform
