#include "dynamic/network/far_port.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "message/core/loss.hpp"
#include "platform/memory_file.hpp"
#include "platform/stream.hpp"
#include "transport/network/choose_provider.hpp"

namespace baton::dynamic {

namespace {

constexpr int addresses_max = 6;                  // guess: a name is to be short
constexpr std::size_t strangers_max = 16;         // guess: at once
constexpr std::int64_t proof_patience_ms = 5000;  // guess
constexpr double connect_seconds = 10;            // guess: of an address that does not answer

struct FreeAddresses {
  void operator()(addrinfo* all) const { ::freeaddrinfo(all); }
};
using Addresses = std::unique_ptr<addrinfo, FreeAddresses>;

Addresses read_address(const char* host, const char* port) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_STREAM;
  wanted.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE;
  return Addresses(::getaddrinfo(host, port, &wanted, &found) == 0 ? found : nullptr);
}

int make_socket(int family) {
  const int made = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return made < 0 ? made : platform::move_to_high_number(made);
}

int listen_at(const sockaddr* address, socklen_t bytes) {
  const int socket = make_socket(address->sa_family);
  if (socket < 0) return -1;
  const int on = 1, off = 0;
  (void)::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address->sa_family == AF_INET6)
    (void)::setsockopt(socket, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  constexpr int waiting_max = 128;
  if (::bind(socket, address, bytes) == 0 && ::listen(socket, waiting_max) == 0) return socket;
  const int why = errno;
  ::close(socket);
  errno = why;
  return -1;
}

int port_number_of(int socket) {
  sockaddr_storage address{};
  socklen_t bytes = sizeof address;
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(address).sin6_port
                                             : reinterpret_cast<sockaddr_in&>(address).sin_port);
}

bool is_listed(std::string_view list, std::string_view name) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (list.substr(0, comma) == name) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

// Returns whether others may reach this host by an interface.
bool leads_outside(const ifaddrs& one) {
  if (!one.ifa_addr || !(one.ifa_flags & IFF_UP)) return false;
  const char* chosen = environment_variable("BATON_NETWORK_INTERFACE");
  if (chosen && *chosen) return is_listed(chosen, one.ifa_name);
  return !(one.ifa_flags & IFF_LOOPBACK) && !transport::network::is_inner_interface(one.ifa_name);
}

// "192.0.2.1"; empty: it is of no use to others.
std::string text_of(const sockaddr& address) {
  char text[INET6_ADDRSTRLEN] = {};
  if (address.sa_family == AF_INET) {
    const auto& four = reinterpret_cast<const sockaddr_in&>(address);
    return ::inet_ntop(AF_INET, &four.sin_addr, text, sizeof text) ? text : "";
  }
  if (address.sa_family != AF_INET6) return {};
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  if (IN6_IS_ADDR_LINKLOCAL(&six.sin6_addr)) return {};
  return ::inet_ntop(AF_INET6, &six.sin6_addr, text, sizeof text) ? '[' + std::string(text) + ']'
                                                                  : "";
}

std::vector<std::string> own_addresses() {
  std::vector<std::string> found;
  ifaddrs* all = nullptr;
  if (::getifaddrs(&all) != 0) return found;
  for (const int family : {AF_INET, AF_INET6})
    for (const ifaddrs* one = all; one && found.size() < addresses_max; one = one->ifa_next)
      if (leads_outside(*one) && one->ifa_addr->sa_family == family)
        if (std::string text = text_of(*one->ifa_addr); !text.empty()) found.push_back(text);
  ::freeifaddrs(all);
  return found;
}

}  // namespace

void keep_watch_on(int socket) {
  const auto set = [socket](int level, int name, int value) {
    (void)::setsockopt(socket, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  const auto seconds = static_cast<int>(settings.network_patience_seconds);
  if (seconds <= 0) return;
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, std::max(1, seconds / 4));
  set(IPPROTO_TCP, TCP_KEEPINTVL, std::max(1, seconds / 12));
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, seconds * 1000);
}

FarPort::Stranger::Stranger(int connection, Key secret)
    : socket(connection), handshake(secret, Role::accepts), came_ms(platform::now_ms()) {
  watched.emplace(connection);
}

FarPort::Stranger::~Stranger() {
  watched.reset();
  if (socket >= 0) ::close(socket);
}

FarPort::~FarPort() {
  if (socket_ >= 0) ::close(socket_);
}

Error FarPort::open(const Endpoint& wanted) {
  wanted_ = wanted;
  const std::string number = std::to_string(wanted.number);
  if (!wanted.address.empty()) {
    const Addresses address = read_address(wanted.address.c_str(), number.c_str());
    if (!address)
      return fail(MPI_ERR_INFO_VALUE, "info key ip_address: \"%s\" is no address",
                  wanted.address.c_str());
    socket_ = listen_at(address->ai_addr, address->ai_addrlen);
  } else {
    for (const char* any : {"::", "0.0.0.0"})
      if (const Addresses address = read_address(any, number.c_str()); address && socket_ < 0)
        socket_ = listen_at(address->ai_addr, address->ai_addrlen);
  }
  if (socket_ >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER, "no port can be opened at %s, number %d: %s",
              wanted.address.empty() ? "any address" : wanted.address.c_str(), wanted.number,
              std::strerror(errno));
}

std::string FarPort::addresses() const {
  std::vector<std::string> own = own_addresses();
  if (!wanted_.address.empty())
    own = {wanted_.address.find(':') == std::string::npos ? wanted_.address
                                                          : '[' + wanted_.address + ']'};
  std::string all;
  for (const std::string& one : own) {
    all += all.empty() ? "" : ",";
    all += one + ':' + std::to_string(port_number_of(socket_));
  }
  return all;
}

void FarPort::begin_waiting() {
  if (is_open()) watched_.emplace(socket_);
  for (const auto& stranger : strangers_) stranger->watched.emplace(stranger->socket);
}

void FarPort::end_waiting() {
  watched_.reset();
  for (const auto& stranger : strangers_) stranger->watched.reset();
}

int FarPort::accept(Key secret, Key* key) {
  if (!is_open()) return -1;
  while (strangers_.size() < strangers_max) {
    const int connection = ::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (connection < 0 && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (connection < 0) break;
    strangers_.push_back(
        std::make_unique<Stranger>(platform::move_to_high_number(connection), secret));
  }
  for (std::size_t i = 0; i < strangers_.size();) {
    Stranger& stranger = *strangers_[i];
    const Handshake::State state = stranger.handshake.advance(stranger.socket);
    const bool is_late = platform::now_ms() >= stranger.came_ms + proof_patience_ms;
    if (state == Handshake::State::under_way && !is_late) {
      ++i;
      continue;
    }
    int connection = -1;
    if (state == Handshake::State::done) {
      *key = stranger.handshake.key();
      connection = std::exchange(stranger.socket, -1);
      keep_watch_on(connection);
    }
    strangers_.erase(strangers_.begin() + static_cast<std::ptrdiff_t>(i));
    if (connection >= 0) return connection;
  }
  return -1;
}

namespace {

// "[2001:db8::1]:4711" or "192.0.2.1:4711"
Addresses read_endpoint(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return nullptr;
  std::string host = text.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']')
    host = host.substr(1, host.size() - 2);
  return read_address(host.c_str(), text.c_str() + colon + 1);
}

// Waits for an end of connecting; 0, or the errno by which it has failed.
int await_connecting(int socket, std::int64_t end_ms) {
  const WatchedSocket watched(socket, POLLOUT);
  pollfd ready{socket, POLLOUT, 0};
  bool is_late = false;
  message::wait_until([&] {
    is_late = platform::now_ms() >= end_ms;
    return is_late || ::poll(&ready, 1, 0) != 0;
  });
  if (!ready.revents) return ETIMEDOUT;
  int error = 0;
  socklen_t bytes = sizeof error;
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

int connect_to(const addrinfo& address, std::int64_t end_ms) {
  const int socket = make_socket(address.ai_family);
  if (socket < 0) return -1;
  int error = ::connect(socket, address.ai_addr, address.ai_addrlen) == 0 ? 0 : errno;
  if (error == EINPROGRESS || error == EINTR) error = await_connecting(socket, end_ms);
  if (error == 0) return socket;
  ::close(socket);
  errno = error;
  return -1;
}

}  // namespace

int connect_far(const Communicator& comm, const std::string& addresses, Key secret, double seconds,
                Key* key) {
  const auto ms = [](double s) { return static_cast<std::int64_t>(s * 1000); };
  const std::int64_t end_ms = platform::now_ms() + ms(seconds);
  (void)fail(MPI_ERR_PORT, "argument port_name: \"%.80s\" is no address", addresses.c_str());
  for (std::size_t begin = 0; begin < addresses.size();) {
    const std::size_t end = std::min(addresses.find(',', begin), addresses.size());
    const std::string text = addresses.substr(begin, end - begin);
    begin = end + 1;
    const Addresses address = read_endpoint(text);
    if (!address) continue;
    const std::int64_t limit_ms = platform::now_ms() + ms(std::min(seconds, connect_seconds));
    const int socket = connect_to(*address, limit_ms);
    if (socket < 0) {
      (void)fail(MPI_ERR_PORT,
                 "argument port_name: there is no port at %s (%s): it was closed, its process has "
                 "ended, or that host cannot be reached from here",
                 text.c_str(), std::strerror(errno));
      continue;
    }
    keep_watch_on(socket);
    Handshake handshake(secret, Role::connects);
    Handshake::State state = Handshake::State::under_way;
    const WatchedSocket watched(socket);
    Error broken = MPI_SUCCESS;
    message::wait_until([&] {
      state = handshake.advance(socket);
      return state != Handshake::State::under_way || platform::now_ms() >= end_ms ||
             (broken = message::broken(&comm));
    });
    if (state == Handshake::State::done) {
      *key = handshake.key();
      return socket;
    }
    const int why = errno;
    ::close(socket);
    if (broken) return -1;
    if (state == Handshake::State::under_way) {
      (void)fail(MPI_ERR_PORT,
                 "nobody has accepted the connection to %s for %g s (info key timeout)",
                 text.c_str(), seconds);
      return -1;
    }
    (void)fail(MPI_ERR_PORT,
               state == Handshake::State::refused
                   ? "argument port_name: who listens at %s does not know this port's secret"
                   : "argument port_name: %s has ended the connection (%s): the port was closed, "
                     "or has another secret",
               text.c_str(), std::strerror(why));
  }
  return -1;
}

}  // namespace baton::dynamic
