#include "dynamic/connection.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/version.hpp"
#include "lockfree/job.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress_source.hpp"
#include "platform/local_port.hpp"
#include "platform/random.hpp"
#include "platform/stream.hpp"

namespace baton::dynamic {

// The sockets that threads of this process wait for now.
class SocketWatch final : public message::ProgressSource {
 public:
  void add(WatchedSocket& socket) {
    platform::Guard guard(lock_);
    socket.next_ = first_;
    first_ = &socket;
    message::set_active(*this, true);
  }
  void remove(WatchedSocket& socket) {
    platform::Guard guard(lock_);
    WatchedSocket** link = &first_;
    while (*link != &socket) link = &(*link)->next_;
    *link = socket.next_;
    message::set_active(*this, first_ != nullptr);
  }
  bool advance() override { return false; }
  bool needs_progress() const override { return false; }
  void plan_sleep(message::SleepPlan& plan) override {
    constexpr std::int64_t unwatched_us = 1000;  // guess: for sockets that find no place
    platform::Guard guard(lock_);
    for (const WatchedSocket* socket = first_; socket; socket = socket->next_)
      if (plan.count < transport::sleep_descriptors_max)
        plan.descriptors[plan.count++] = {socket->socket_, socket->events_, 0};
      else
        plan.bound_us = std::min(plan.bound_us, unwatched_us);
  }

 private:
  WatchedSocket* first_ = nullptr;
  platform::Lock lock_;
};

namespace {

SocketWatch socket_watch;

// One direction of an exchange.
struct Half {
  char* data;
  std::size_t left;
  long (*move)(int socket, char* data, std::size_t bytes);

  // Goes on as far as possible; false: the connection has ended.
  bool advance(int socket) {
    while (left > 0) {
      const long moved = move(socket, data, left);
      if (moved <= 0) return moved == 0;
      data += moved;
      left -= static_cast<std::size_t>(moved);
    }
    return true;
  }
};

}  // namespace

WatchedSocket::WatchedSocket(int socket, short events) : socket_(socket), events_(events) {
  // Without its pipe a sleeper does not watch sockets, but looks at them often.
  (void)transport::open_wake_pipe();
  socket_watch.add(*this);
}

WatchedSocket::~WatchedSocket() {
  socket_watch.remove(*this);
}

Connection::~Connection() {
  if (owned_) ::close(socket_);
}

Error Connection::exchange(const void* mine, std::int64_t bytes, void* theirs,
                           std::int64_t their_bytes) {
  Half out{static_cast<char*>(const_cast<void*>(mine)), static_cast<std::size_t>(bytes),
           [](int socket, char* data, std::size_t left) {
             return platform::send_some(socket, data, left);
           }};
  Half in{static_cast<char*>(theirs), static_cast<std::size_t>(their_bytes),
          [](int socket, char* data, std::size_t left) {
            return platform::receive_some(socket, data, left);
          }};
  const WatchedSocket watched(socket_);
  const std::int64_t end_ms =
      platform::now_ms() + static_cast<std::int64_t>(patience_seconds_ * 1000);
  bool is_alive = true, is_late = false;
  Error broken = MPI_SUCCESS;
  const auto is_done = [&] { return out.left == 0 && in.left == 0; };
  message::wait_until([&] {
    is_alive = out.advance(socket_) && in.advance(socket_);
    is_late = patience_seconds_ > 0 && platform::now_ms() >= end_ms;
    return !is_alive || is_late || is_done() || (broken = message::broken(&comm_));
  });
  if (is_done()) return MPI_SUCCESS;
  if (broken) return broken;
  if (is_late && is_alive)
    return fail(MPI_ERR_PORT, "nobody has accepted the connection for %g s (info key timeout)",
                patience_seconds_);
  return fail(MPI_ERR_PORT,
              "the connection to the other group has ended (%s): its leader has given up, closed "
              "the port or died",
              std::strerror(errno));
}

Error Connection::agree_key(Key* key) {
  const Key own{platform::random_word(), platform::random_word()};
  Key its;
  if (Error error = exchange(&own, sizeof own, &its, sizeof its)) return error;
  *key = {own.low ^ its.low, own.high ^ its.high};
  if (!is_secret_) return MPI_SUCCESS;
  const std::uint64_t low[] = {key->low, key->high, 0}, high[] = {key->low, key->high, 1};
  *key = {keyed_hash(key_, low), keyed_hash(key_, high)};
  return MPI_SUCCESS;
}

namespace {

// Both sides must understand each other's messages.
struct Kind {
  char version[16];
  std::uint32_t job_version, layout_hash;
};

Kind own_kind() {
  const lockfree::JobHeader header = lockfree::job_header(1, 1);
  Kind kind{{}, header.version, header.layout_hash};
  std::snprintf(kind.version, sizeof kind.version, "%s", version);
  return kind;
}

}  // namespace

Error Connection::greet() {
  const Kind ours = own_kind();
  Kind theirs{};
  if (Error error = exchange(&ours, sizeof ours, &theirs, sizeof theirs)) return error;
  patience_seconds_ = 0;  // whoever has answered goes on
  if (std::memcmp(&ours, &theirs, sizeof ours) == 0) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "the other group has another Baton (%.16s, this one %.16s), or another build of it; "
              "give both jobs the same",
              theirs.version, ours.version);
}

}  // namespace baton::dynamic
