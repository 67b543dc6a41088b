// Messages about failures name a communicator by its context id and the nonce of this use of the id
// (context_id.hpp), since they may come before it is there, or when it is gone.
#pragma once

#include <cstdint>

#include "platform/lock.hpp"
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

// Held while a communicator gets its id or ends, and while others than its user look at it.
extern constinit platform::Lock communicators_lock;

// Calls act(communicator) for each that lives, the predefined ones included. None ends meanwhile;
// `act` neither makes nor frees any.
template <class Act>
void each_communicator(Act&& act) {
  platform::Guard guard(communicators_lock);
  communicators.for_each([&](MPI_Comm, Communicator* one) { act(*one); });
  for (MPI_Comm predefined : {MPI_COMM_WORLD, MPI_COMM_SELF})
    if (Communicator* one = communicators.find(predefined)) act(*one);
}

// Calls act(communicator) for the one that is meant; false: this process does not know it.
template <class Act>
bool at_communicator(const CommunicatorKey& key, Act&& act) {
  bool found = false;
  each_communicator([&](Communicator& one) {
    if (!(CommunicatorKey(one) == key)) return;
    found = true;
    act(one);
  });
  return found;
}

}  // namespace baton::world
