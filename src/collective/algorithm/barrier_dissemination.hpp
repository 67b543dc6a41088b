// This is the dissemination barrier, which intercommunicators use, too.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

ByMessages barrier_dissemination;

}  // namespace baton::collective
