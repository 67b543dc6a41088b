#include "wire.hpp"

#include <rdma/fi_errno.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>

#include "rule.hpp"

namespace fake {

namespace {

// In the abstract namespace, so that nothing is left behind.
socklen_t address_of(std::uint64_t name, sockaddr_un& address) {
  address = {};
  address.sun_family = AF_UNIX;
  const int length =
      std::snprintf(address.sun_path + 1, sizeof address.sun_path - 1,
                    "baton-fake-provider-%016llx", static_cast<unsigned long long>(name));
  return static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 +
                                static_cast<std::size_t>(length));
}

}  // namespace

int Wire::open() {
  socket_ = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (socket_ < 0 || ::getrandom(&name_, sizeof name_, 0) != sizeof name_) return -FI_EIO;
  sockaddr_un address;
  const socklen_t bytes = address_of(name_, address);
  return ::bind(socket_, reinterpret_cast<sockaddr*>(&address), bytes) == 0 ? 0 : -errno;
}

void Wire::close() {
  if (socket_ >= 0) ::close(socket_);
  socket_ = -1;
}

int Wire::send(std::uint64_t to, const Chunk& chunk, std::size_t bytes) const {
  sockaddr_un address;
  const socklen_t address_bytes = address_of(to, address);
  const ssize_t sent = ::sendto(socket_, &chunk, sizeof chunk.header + bytes, MSG_NOSIGNAL,
                                reinterpret_cast<sockaddr*>(&address), address_bytes);
  if (sent >= 0) return 0;
  if (errno == EAGAIN || errno == ENOBUFS || errno == EINTR) return -FI_EAGAIN;
  return -errno;
}

bool Wire::receive(Chunk& chunk, std::size_t& bytes) const {
  const ssize_t came = ::recv(socket_, &chunk, sizeof chunk, 0);
  if (came < 0) return false;
  if (static_cast<std::size_t>(came) < sizeof chunk.header) broken("a stranger's datagram came");
  bytes = static_cast<std::size_t>(came) - sizeof chunk.header;
  return true;
}

}  // namespace fake
