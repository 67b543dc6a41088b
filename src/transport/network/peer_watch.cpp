#include "transport/network/peer_watch.hpp"

#include <dirent.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "platform/memory_file.hpp"

namespace baton::transport::network {

namespace {

std::uint16_t& port_of(sockaddr_storage& address) {
  return address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                       : reinterpret_cast<sockaddr_in&>(address).sin_port;
}

bool is_same_host(const sockaddr_storage& one, const sockaddr_storage& other) {
  if (one.ss_family != other.ss_family) return false;
  if (one.ss_family == AF_INET6)
    return std::memcmp(&reinterpret_cast<const sockaddr_in6&>(one).sin6_addr,
                       &reinterpret_cast<const sockaddr_in6&>(other).sin6_addr,
                       sizeof(in6_addr)) == 0;
  return reinterpret_cast<const sockaddr_in&>(one).sin_addr.s_addr ==
         reinterpret_cast<const sockaddr_in&>(other).sin_addr.s_addr;
}

// Makes the kernel probe the other one now and then, and give up after the given time without an
// answer.
void ask_for_signs(int descriptor, const WatchPatience& patience) {
  const auto limit_ms = static_cast<unsigned>(patience.silent);
  const int seconds = static_cast<int>(patience.silent / 1000);
  const int on = 1, idle = std::max(1, seconds / 4), again = std::max(1, seconds / 12);
  const int count = std::max(1, (seconds - idle) / again);
  const auto set = [descriptor](int level, int name, const auto& value) {
    (void)::setsockopt(descriptor, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, on);
  set(IPPROTO_TCP, TCP_KEEPIDLE, idle);
  set(IPPROTO_TCP, TCP_KEEPINTVL, again);
  set(IPPROTO_TCP, TCP_KEEPCNT, count);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, limit_ms);
}

// Returns whether the error is a shortage here, which says nothing of the other side.
bool is_own_shortage(int error) {
  return error == EAGAIN || error == EADDRNOTAVAIL || error == EADDRINUSE || error == ENOBUFS ||
         error == ENOMEM;
}

int error_of(int descriptor) {
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

}  // namespace

bool read_socket_address(const Address& address, sockaddr_storage* socket_address,
                         socklen_t* bytes) {
  if (address.bytes > sizeof *socket_address) return false;
  std::memcpy(socket_address, address.raw, address.bytes);
  *bytes = static_cast<socklen_t>(address.bytes);
  const sa_family_t family = socket_address->ss_family;
  return (family == AF_INET && address.bytes == sizeof(sockaddr_in)) ||
         (family == AF_INET6 && address.bytes == sizeof(sockaddr_in6));
}

void HostWatch::aim(Process process, const Address& address, const Address& own) {
  close();
  socklen_t own_bytes = 0;
  process_ = process;
  if (!read_socket_address(address, &address_, &address_bytes_) ||
      !read_socket_address(own, &own_, &own_bytes))
    address_bytes_ = 0;
  port_of(own_) = 0;
  failing_since_ms_ = 0;
}

void HostWatch::close() {
  if (descriptor_ >= 0) ::close(descriptor_);
  descriptor_ = -1;
  connected_ = false;
}

// Opens a socket bound to the address from which the provider's connections come, too, so that it
// goes the same way. Returns the errno of what failed, or 0.
int HostWatch::open() {
  const int made = ::socket(address_.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (made < 0) return errno;
  descriptor_ = platform::move_to_high_number(made);
  const int on = 1;  // the port is chosen at connect: more are then free
  (void)::setsockopt(descriptor_, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
  if (::bind(descriptor_, reinterpret_cast<sockaddr*>(&own_), address_bytes_) == 0) return 0;
  const int error = errno;
  close();
  return error;
}

void HostWatch::failed(int error, std::int64_t now_ms) {
  close();
  error_ = error;
  if (failing_since_ms_ == 0) failing_since_ms_ = now_ms;
}

void HostWatch::begin_trying(std::int64_t now_ms, const WatchPatience& patience) {
  // There is at most one look per this time, whatever the answer is.
  constexpr std::int64_t pause_ms = 250;
  if (now_ms < tried_ms_ + pause_ms) return;
  tried_ms_ = now_ms;
  // Without a descriptor nothing is learnt; but if our own address is gone, that says enough.
  if (const int error = open()) return error == EADDRNOTAVAIL ? failed(error, now_ms) : void();
  if (::connect(descriptor_, reinterpret_cast<sockaddr*>(&address_), address_bytes_) == 0 ||
      errno == EINPROGRESS)
    return look_at_trying(now_ms, patience);
  if (is_own_shortage(errno)) return close();
  failed(errno, now_ms);
}

void HostWatch::look_at_trying(std::int64_t now_ms, const WatchPatience& patience) {
  // The kernel would repeat a lost request ever more seldom; a new try begins at once.
  constexpr std::int64_t try_ms = 1000;
  pollfd end{descriptor_, POLLOUT, 0};
  if (::poll(&end, 1, 0) == 0) {
    if (now_ms >= tried_ms_ + try_ms) failed(ETIMEDOUT, tried_ms_);
    return;
  }
  if (const int error = error_of(descriptor_)) return failed(error, now_ms);
  connected_ = reached_ = true;
  failing_since_ms_ = 0;
  ask_for_signs(descriptor_, patience);
}

WatchResult HostWatch::look_at_connected(std::int64_t now_ms) {
  pollfd end{descriptor_, POLLIN | POLLRDHUP, 0};
  if (::poll(&end, 1, 0) == 0) return WatchResult::none;
  const int error = error_of(descriptor_);
  if (error == 0 && !(end.revents & (POLLHUP | POLLRDHUP | POLLERR))) return WatchResult::none;
  failed(error ? error : ECONNRESET, now_ms);
  // The connection was ended from there, by the process or by its kernel: a new try says which.
  if (error == 0 || error == ECONNRESET || error == EPIPE) return WatchResult::none;
  return WatchResult::host_silent;
}

WatchResult HostWatch::look(std::int64_t now_ms, const WatchPatience& patience) {
  if (address_bytes_ == 0) return WatchResult::none;
  if (connected_) return look_at_connected(now_ms);
  if (descriptor_ < 0)
    begin_trying(now_ms, patience);
  else
    look_at_trying(now_ms, patience);
  if (failing_since_ms_ == 0) return WatchResult::none;
  const bool refused = error_ == ECONNREFUSED;
  const std::int64_t limit = refused    ? patience.refused
                             : reached_ ? patience.silent
                                        : patience.first;
  if (now_ms < failing_since_ms_ + limit) return WatchResult::none;
  return refused ? WatchResult::process_gone : WatchResult::host_silent;
}

void cut_connections(const Address& peer, const Address& own) {
  sockaddr_storage lost, here;
  socklen_t bytes;
  if (!read_socket_address(peer, &lost, &bytes) || !read_socket_address(own, &here, &bytes)) return;
  DIR* folder = ::opendir("/proc/self/fd");
  if (!folder) return;
  while (const dirent* entry = ::readdir(folder)) {
    const int descriptor = std::atoi(entry->d_name);
    sockaddr_storage from, to;
    socklen_t from_bytes = sizeof from, to_bytes = sizeof to;
    if (::getsockname(descriptor, reinterpret_cast<sockaddr*>(&from), &from_bytes) != 0 ||
        ::getpeername(descriptor, reinterpret_cast<sockaddr*>(&to), &to_bytes) != 0 ||
        !is_same_host(to, lost))
      continue;
    if (port_of(to) == port_of(lost) || port_of(from) == port_of(here))
      (void)::shutdown(descriptor, SHUT_RDWR);
  }
  ::closedir(folder);
}

}  // namespace baton::transport::network
