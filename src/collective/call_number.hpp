// This is the number of a collective call on its communicator: it is the same on all its ranks.
// Each run knows its own (collective/run.hpp); reports of calls that wait or do not fit name it.
#pragma once

#include <cstdint>

namespace baton::collective {

// The first call has number 0; persistent calls are counted separately.
struct CallNumber {
  std::uint32_t number;
  bool persistent;
};

}  // namespace baton::collective
