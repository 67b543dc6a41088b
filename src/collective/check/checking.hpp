// This is a call whose ranks are comparing it (check/alike.hpp), in the form that code which waits
// for it uses (check/deadlock.hpp). Invariant: it outlives the wait.
#pragma once

#include "collective/check/compare.hpp"
#include "world/communicator.hpp"

namespace baton::collective {

// This is the state of a call whose ranks compare: nobody goes on before all have come.
struct Checking {
  const Communicator& comm;
  CallNumber number;
  Procedure procedure;
  const Outline* heard;  // at the member that judges, by position; null: another member judges

  bool has_heard(int position) const { return heard[position].rank >= 0; }
};

}  // namespace baton::collective
