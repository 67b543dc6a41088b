// What barrier_dissemination does, for intercommunicators, too.
#pragma once

#include "collective/algorithm.hpp"

namespace baton::collective {

ByMessages barrier_dissemination;

}  // namespace baton::collective
