#include "resources.hpp"

#include <unistd.h>

namespace fake {

// Ranks of one job do not all do the same.
Resources::Resources()
    : personality(read_personality()),
      chance(personality.seed * 1000003 + static_cast<std::uint64_t>(::getpid() - ::getppid())) {}

}  // namespace fake
