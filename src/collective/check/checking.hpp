// A call whose ranks are comparing it (check/alike.hpp), as who waits for it sees it
// (check/deadlock.hpp). Invariant: it outlives the wait.
#pragma once

#include "collective/check/compare.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

// A call whose ranks compare: nobody goes on before all have come.
struct Checking {
  const Communicator& comm;
  CallNumber number;
  Procedure procedure;
  const Outline* heard;  // by the one that judges, by position; null: we are another

  bool has_heard(int position) const { return heard[position].rank >= 0; }
};

}  // namespace baton::collective
