// Messages about failures name a communicator by its context id and the nonce of this use of the id
// (context_id.hpp), since they may come before it is there, or when it is gone.
#pragma once

#include <cstdint>

#include "world/communicator.hpp"

namespace baton::world {

struct CommunicatorKey {
  explicit CommunicatorKey(const Communicator& communicator)
      : nonce(communicator.nonce), id(communicator.id) {}
  CommunicatorKey() = default;
  bool operator==(const CommunicatorKey&) const = default;

  std::uint64_t nonce;
  std::uint32_t id;
};

// Calls act(communicator) for each that lives, the predefined ones included.
template <class Act>
void each_communicator(Act&& act) {
  communicators.for_each([&](MPI_Comm, Communicator* one) { act(*one); });
  for (MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF})
    if (Communicator* one = communicators.find(predefined)) act(*one);
}

// Returns the communicator that is meant; null where this process does not know it.
inline Communicator* find_communicator(const CommunicatorKey& key) {
  Communicator* found = nullptr;
  each_communicator([&](Communicator& one) {
    if (CommunicatorKey(one) == key) found = &one;
  });
  return found;
}

}  // namespace baton::world
