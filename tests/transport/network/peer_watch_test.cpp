#include "transport/network/peer_watch.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

namespace baton::transport::network {
namespace {

constexpr WatchPatience patience{60000, 6000, 2000};

// Closed with the test.
class Socket {
 public:
  explicit Socket(int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0))
      : descriptor_(descriptor) {}
  Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  ~Socket() { close(); }
  void close() {
    if (descriptor_ >= 0) ::close(descriptor_);
    descriptor_ = -1;
  }
  int number() const { return descriptor_; }

 private:
  int descriptor_;
};

sockaddr_in loopback(std::uint16_t port = 0) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = port;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Address address_of(const Socket& socket) {
  Address address;
  socklen_t bytes = sizeof address.raw;
  ::getsockname(socket.number(), reinterpret_cast<sockaddr*>(address.raw), &bytes);
  address.bytes = bytes;
  return address;
}

Socket listen_at(std::uint16_t port = 0, int backlog = 16) {
  Socket socket;
  const sockaddr_in address = loopback(port);
  const int on = 1;
  ::setsockopt(socket.number(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  EXPECT_EQ(::bind(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
            0);
  EXPECT_EQ(::listen(socket.number(), backlog), 0);
  return socket;
}

std::uint16_t port_of(const Socket& socket) {
  const Address address = address_of(socket);
  return reinterpret_cast<const sockaddr_in*>(address.raw)->sin_port;
}

Socket connect_to(const Socket& listener) {
  Socket socket;
  const sockaddr_in address = loopback(port_of(listener));
  (void)::connect(socket.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  return socket;
}

struct Watched {
  Socket listener;
  Socket own = listen_at();
  HostWatch watch;
  std::int64_t now = 1000;

  explicit Watched(Socket at) : listener(std::move(at)) {
    watch.aim(Process{3}, address_of(listener), address_of(own));
  }
  WatchResult look_after(std::int64_t passed) {
    now += passed;
    return watch.look(now, patience);
  }
  // For so long; what it says last.
  WatchResult look_for(std::int64_t whole) {
    WatchResult result = WatchResult::none;
    for (std::int64_t passed = 0; passed < whole && result == WatchResult::none; passed += 100)
      result = look_after(100);
    return result;
  }
};

TEST(peer_watch, who_listens_is_alive_though_it_never_accepts) {
  Watched watched(listen_at());
  EXPECT_EQ(watched.look_for(10 * patience.silent), WatchResult::none);
  EXPECT_TRUE(watched.watch.was_reached());
}

TEST(peer_watch, who_listens_no_more_is_gone_after_a_while) {
  Watched watched(listen_at());
  watched.look_for(1000);
  watched.listener.close();
  EXPECT_EQ(watched.look_for(patience.refused - 300), WatchResult::none);
  EXPECT_EQ(watched.look_for(1000), WatchResult::process_gone);
  EXPECT_EQ(watched.watch.error(), ECONNREFUSED);
  EXPECT_EQ(watched.watch.process(), Process{3});
}

TEST(peer_watch, who_closes_the_connection_and_listens_on_is_alive) {
  Watched watched(listen_at());
  watched.look_for(1000);
  for (int i = 0; i < 5; ++i) {
    Socket accepted(::accept(watched.listener.number(), nullptr, nullptr));
    EXPECT_GE(accepted.number(), 0);
    accepted.close();
    EXPECT_EQ(watched.look_for(1000), WatchResult::none);
  }
  EXPECT_EQ(watched.look_for(2 * patience.silent), WatchResult::none);
}

// The kernel drops what comes to a listener with too many that wait.
struct Mute {
  Socket listener = listen_at(0, 0);
  std::vector<Socket> waiting;
  Mute() {
    for (int i = 0; i < 3; ++i) waiting.push_back(connect_to(listener));
  }
};

TEST(peer_watch, who_never_answers_is_silent_after_the_first_patience) {
  Mute mute;
  Watched watched(std::move(mute.listener));
  EXPECT_EQ(watched.look_for(patience.first - 200), WatchResult::none);
  EXPECT_EQ(watched.look_for(2000), WatchResult::host_silent);
  EXPECT_EQ(watched.watch.error(), ETIMEDOUT);
  EXPECT_FALSE(watched.watch.was_reached());
}

TEST(peer_watch, who_was_heard_of_has_the_whole_patience) {
  Mute mute;
  Watched watched(std::move(mute.listener));
  watched.watch.heard();
  EXPECT_EQ(watched.look_for(patience.silent - 200), WatchResult::none);
  EXPECT_EQ(watched.look_for(2000), WatchResult::host_silent);
}

TEST(peer_watch, an_address_of_another_kind_is_not_watched) {
  const Socket own = listen_at();
  Address other;
  other.bytes = 8;
  HostWatch watch;
  watch.aim(Process{1}, other, address_of(own));
  EXPECT_EQ(watch.look(1'000'000, patience), WatchResult::none);
}

bool is_cut(const Socket& socket) {
  char byte;
  return ::recv(socket.number(), &byte, 1, MSG_DONTWAIT) == 0;
}

TEST(peer_watch, connections_with_a_lost_host_are_cut_and_no_others) {
  const Socket lost = listen_at(), own = listen_at(), other = listen_at();
  const Socket to_lost = connect_to(lost);
  const Socket from_lost = connect_to(own);  // all are on the loopback
  const Socket accepted(::accept(own.number(), nullptr, nullptr));
  const Socket to_other = connect_to(other);
  cut_connections(address_of(lost), address_of(own));
  EXPECT_TRUE(is_cut(to_lost));
  EXPECT_TRUE(is_cut(accepted));
  EXPECT_FALSE(is_cut(to_other));
}

}  // namespace
}  // namespace baton::transport::network
