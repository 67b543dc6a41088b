// Hints of communicators (MPI 5.0, "Communicator Info"): the assertions that the standard lists for
// all communicators, and `baton_order`. Other keys are ignored, as are values that have no meaning.
// Any thread may read a communicator's hints while another changes them.
#pragma once

#include <cstdint>

#include "base/order.hpp"
#include "base/settings.hpp"
#include "platform/lock.hpp"
#include "world/info.hpp"

namespace baton::world {

struct Hints {
  // Each boolean assertion has a bit, in the order of the names in hint.cpp; a set bit means
  // "true". The default is none.
  std::uint32_t assertions = 0;
  // This is the promise about memory kinds, or null; it lives for ever.
  const char* asserted_kinds = nullptr;
  // It has no kind that a processor must not touch (message::Context::promises_host).
  bool promises_host = false;
  // This is the Order that the program asked for, plus 1; 0: none.
  std::uint8_t order = 0;
};

// Returns the order in which a communicator's roots serve: its own, else the setting's.
inline Order order_of(const Hints& hints) {
  const std::uint8_t own = platform::load_shared(hints.order);
  return static_cast<Order>(own ? own - 1 : settings.order);
}

// Takes over the hints in `info` (null: none); hints that it does not mention stay.
void update_hints(Hints& hints, const Info* info);

// Takes over the promise about memory kinds of an object to which a communicator belongs, a window
// or a file; null: there is none.
void promise_kinds(Hints& hints, const char* kinds);

// Writes every hint with its value, and the memory kinds that are supported. Error: MPI_ERR_NO_MEM,
// explained.
[[nodiscard]] Error describe_hints(const Hints& hints, const char* memory_kinds, Info& info);

}  // namespace baton::world
