// How two processes prove to each other over a new connection that both know the secret of a port,
// which neither sends: each makes up a random number, and hashes both numbers with the secret. From
// the same numbers both have a key that nobody else knows.
// Invariant: the one that has connected is believed only after it has proven it, and the reverse.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/keyed_hash.hpp"

namespace baton::dynamic {

enum class Role : std::uint64_t { connects, accepts };

// Returns the proof of one side, from its own number and the other's, or, with `Purpose::key`, the
// key of the connection from the number of the one that connects and the other's.
enum class Purpose : std::uint64_t { proof_of_connecting, proof_of_accepting, key };
constexpr Key prove(Key secret, Purpose purpose, Key one, Key other) {
  const auto word = static_cast<std::uint64_t>(purpose);
  const std::uint64_t low[] = {word, 0, one.low, one.high, other.low, other.high};
  const std::uint64_t high[] = {word, 1, one.low, one.high, other.low, other.high};
  return {keyed_hash(secret, low), keyed_hash(secret, high)};
}

// One side of it, over a connected socket that does not block.
class Handshake {
 public:
  enum class State { under_way, done, ended, refused };
  Handshake(Key secret, Role role);
  // Goes on as far as possible. `ended`: the connection has; `refused`: the other side does not
  // know the secret.
  State advance(int socket);
  // Returns the key of the connection, when it is done.
  Key key() const;

 private:
  struct Hello {
    std::uint64_t magic;
    Key number;
  };
  struct Answer {
    Key number, proof;
  };
  bool send(int socket);
  bool receive(int socket, std::size_t bytes);
  State take_in();
  void put(const void* data, std::size_t bytes);

  Key secret_;
  Role role_;
  Key own_, other_;
  int step_ = 0;
  char out_[sizeof(Answer)] = {}, in_[sizeof(Answer)] = {};
  std::size_t out_bytes_ = 0, sent_ = 0, received_ = 0;
};

}  // namespace baton::dynamic
