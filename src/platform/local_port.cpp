#include "platform/local_port.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace baton::platform {

namespace {

constexpr char beginning[] = "baton:";
constexpr std::size_t word_length = 32;  // of address and secret, in hexadecimal digits

// A name taken apart. Both parts are of word_length digits; what follows behind "@" is not ours.
struct Parts {
  const char* address;
  const char* secret;
};

bool take_apart(const char* text, Parts* parts) {
  constexpr std::size_t before = sizeof beginning - 1;
  if (std::strncmp(text, beginning, before) != 0) return false;
  constexpr std::size_t whole = before + 2 * word_length + 1;
  if (std::strcspn(text, "@") != whole || text[before + word_length] != '.') return false;
  *parts = {text + before, text + before + word_length + 1};
  return true;
}

// An address of the abstract namespace: it begins with a zero, and is no file.
sockaddr_un address_of(const Parts& parts, socklen_t* length) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const int written = std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "baton-%.*s",
                                    static_cast<int>(word_length), parts.address);
  *length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                   static_cast<std::size_t>(written));
  return address;
}

int make_socket() {
  return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int close_and_fail(int socket, int error) {
  ::close(socket);
  errno = error;
  return -1;
}

bool is_of_this_user(int socket) {
  ucred other{};
  socklen_t size = sizeof other;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
         other.uid == ::geteuid();
}

bool knows_secret(int socket, const Parts& parts) {
  // Whoever connects sends the secret before anything else; a stranger who sends nothing is not
  // waited for.
  constexpr int patience_ms = 1000;
  char told[word_length];
  std::size_t have = 0;
  while (have < word_length) {
    pollfd ready{socket, POLLIN, 0};
    if (::poll(&ready, 1, patience_ms) <= 0) return false;
    const long came = receive_some(socket, told + have, word_length - have);
    if (came < 0) return false;
    have += static_cast<std::size_t>(came);
  }
  return std::memcmp(told, parts.secret, word_length) == 0;
}

}  // namespace

int open_port(PortName* name) {
  std::uint64_t words[4];
  if (::getrandom(words, sizeof words, 0) != sizeof words) return -1;
  std::snprintf(name->text, sizeof name->text, "%s%016lx%016lx.%016lx%016lx", beginning, words[0],
                words[1], words[2], words[3]);
  Parts parts;
  take_apart(name->text, &parts);
  socklen_t length = 0;
  const sockaddr_un address = address_of(parts, &length);
  const int socket = make_socket();
  if (socket < 0) return -1;
  constexpr int waiting_max = 128;
  if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), length) != 0 ||
      ::listen(socket, waiting_max) != 0)
    return close_and_fail(socket, errno);
  return socket;
}

int accept_at_port(int socket, const PortName& name) {
  Parts parts;
  if (!take_apart(name.text, &parts)) {
    errno = EINVAL;
    return -1;
  }
  while (true) {
    const int connection = ::accept4(socket, nullptr, nullptr, SOCK_CLOEXEC);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (connection < 0) return -1;
    if (is_of_this_user(connection) && knows_secret(connection, parts)) return connection;
    ::close(connection);
  }
}

int connect_to_port(const char* name) {
  Parts parts;
  if (!take_apart(name, &parts)) {
    errno = EINVAL;
    return -1;
  }
  socklen_t length = 0;
  const sockaddr_un address = address_of(parts, &length);
  const int socket = make_socket();
  if (socket < 0) return -1;
  int done = 0;
  do done = ::connect(socket, reinterpret_cast<const sockaddr*>(&address), length);
  while (done != 0 && errno == EINTR);
  if (done != 0) return close_and_fail(socket, errno);
  if (!is_of_this_user(socket)) return close_and_fail(socket, EACCES);
  const long sent = send_some(socket, parts.secret, word_length);
  if (sent != static_cast<long>(word_length))
    return close_and_fail(socket, sent < 0 ? errno : EPIPE);
  return socket;
}

long send_some(int socket, const void* data, std::size_t bytes) {
  const ssize_t sent = ::send(socket, data, bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0) return sent;
  return errno == EAGAIN || errno == EINTR ? 0 : -1;
}

long receive_some(int socket, void* data, std::size_t bytes) {
  const ssize_t came = ::recv(socket, data, bytes, MSG_DONTWAIT);
  if (came > 0) return came;
  if (came == 0) errno = EPIPE;
  return came < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

}  // namespace baton::platform
