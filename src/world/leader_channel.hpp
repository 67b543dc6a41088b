// The leaders of two groups that become an intercommunicator talk over this: over a communicator
// that both are in, or a connection (dynamic/).
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/keyed_hash.hpp"

namespace baton::world {

class LeaderChannel {
 public:
  // Sends `mine` to the other leader and receives what it sends. Errors are explained.
  [[nodiscard]] virtual Error exchange(const void* mine, std::int64_t bytes, void* theirs,
                                       std::int64_t their_bytes) = 0;
  // Agrees with the other leader on a key, which nobody else learns where the channel can hide it.
  [[nodiscard]] virtual Error agree_key(Key* key) = 0;

 protected:
  ~LeaderChannel() = default;
};

}  // namespace baton::world
