#include "dynamic/network/handshake.hpp"

#include <cstring>

#include "platform/local_port.hpp"
#include "platform/random.hpp"

namespace baton::dynamic {

namespace {

constexpr std::uint64_t magic_word = 0x3174726f706e7462;  // "btnport1"

bool is_same(Key one, Key other) {
  return ((one.low ^ other.low) | (one.high ^ other.high)) == 0;
}

}  // namespace

Handshake::Handshake(Key secret, Role role)
    : secret_(secret), role_(role), own_{platform::random_word(), platform::random_word()} {
  if (role == Role::accepts) return;
  const Hello hello{magic_word, own_};
  put(&hello, sizeof hello);
}

void Handshake::put(const void* data, std::size_t bytes) {
  std::memcpy(out_, data, bytes);
  out_bytes_ = bytes;
  sent_ = 0;
}

// False: the connection has ended.
bool Handshake::send(int socket) {
  while (sent_ < out_bytes_) {
    const long moved = platform::send_some(socket, out_ + sent_, out_bytes_ - sent_);
    if (moved <= 0) return moved == 0;
    sent_ += static_cast<std::size_t>(moved);
  }
  return true;
}

bool Handshake::receive(int socket, std::size_t bytes) {
  while (received_ < bytes) {
    const long moved = platform::receive_some(socket, in_ + received_, bytes - received_);
    if (moved <= 0) return moved == 0;
    received_ += static_cast<std::size_t>(moved);
  }
  return true;
}

// The one that accepts: a hello, then the proof. The other one: the answer to its hello.
Handshake::State Handshake::take_in() {
  received_ = 0;
  if (role_ == Role::connects) {
    Answer answer;
    std::memcpy(&answer, in_, sizeof answer);
    other_ = answer.number;
    if (!is_same(answer.proof, prove(secret_, Purpose::proof_of_accepting, other_, own_)))
      return State::refused;
    const Key proof = prove(secret_, Purpose::proof_of_connecting, own_, other_);
    put(&proof, sizeof proof);
    step_ = 2;  // nothing more comes
    return State::under_way;
  }
  if (step_ == 0) {
    Hello hello;
    std::memcpy(&hello, in_, sizeof hello);
    if (hello.magic != magic_word) return State::refused;
    other_ = hello.number;
    const Answer answer{own_, prove(secret_, Purpose::proof_of_accepting, own_, other_)};
    put(&answer, sizeof answer);
    step_ = 1;
    return State::under_way;
  }
  Key proof;
  std::memcpy(&proof, in_, sizeof proof);
  step_ = 2;
  return is_same(proof, prove(secret_, Purpose::proof_of_connecting, other_, own_))
             ? State::under_way
             : State::refused;
}

Handshake::State Handshake::advance(int socket) {
  while (true) {
    if (!send(socket)) return State::ended;
    if (sent_ < out_bytes_) return State::under_way;
    if (step_ == 2) return State::done;
    const std::size_t due = role_ == Role::connects ? sizeof(Answer)
                            : step_ == 0            ? sizeof(Hello)
                                                    : sizeof(Key);
    if (!receive(socket, due)) return State::ended;
    if (received_ < due) return State::under_way;
    if (take_in() == State::refused) return State::refused;
  }
}

Key Handshake::key() const {
  return role_ == Role::connects ? prove(secret_, Purpose::key, own_, other_)
                                 : prove(secret_, Purpose::key, other_, own_);
}

}  // namespace baton::dynamic
