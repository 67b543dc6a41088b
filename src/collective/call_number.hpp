// Which call of a communicator a collective is: the same number on all its ranks. Known by each run
// (collective/run.hpp), and told to who reads of a call that waits or does not fit.
#pragma once

#include <cstdint>

namespace baton::collective {

// The first is number 0; persistent ones count apart.
struct CallNumber {
  std::uint32_t number;
  bool persistent;
};

}  // namespace baton::collective
