// A collective of data in foreign memory works on copies in host memory: what this rank gives is
// copied before, what it gets afterwards. Only this rank knows; the others do as ever.
#pragma once

#include "collective/run.hpp"

namespace baton::collective {

// Does a run's call on copies; `begin` makes the algorithm.
Task work_on_host_copies(Run& run, Task (*begin)(Run& run));

}  // namespace baton::collective
