// `mpiexec --check`: who waits long tells the others where, in its row of the status board, and
// looks whether ranks wait for each other in a cycle, or for one that has called MPI_Finalize.
// That ends the job with words that name them: what they are in cannot be taken back. Invariant:
// only what nobody can get out of is reported; time alone is no reason. Processes of several
// threads tell nothing: another thread may still come.
#pragma once

#include <cstdint>

#include "collective/check/checking.hpp"
#include "message/core/wait.hpp"

namespace baton::collective {

// One wait of this rank's program. `look_at` is called again and again while it lasts, with
// progress in between; `end` at the end.
class Watch {
 public:
  // A call that is being compared; `apart`: the program waits for it in another call.
  void look_at(const Checking& checking, bool apart);
  // A message to be sent or received.
  void look_at(const message::Request& request);
  // A message to be seen, where the setting `check` is on.
  void look_at(const message::ProbeWait& probe);
  void end();

 private:
  struct Subject;
  bool is_due();
  void look(const Subject& subject);
  bool awaits_finalized(const Subject& subject, Process* awaited) const;
  bool is_confirmed(const LocalRank* cycle, std::uint32_t count);

  std::uint32_t polls_ = 0;
  std::int64_t started_ = 0;
  std::int64_t next_ = 0;
  std::uint32_t cycle_ = 0;      // ranks in the one that was seen
  std::uint32_t finalized_ = 0;  // looks at one that has finalized
  bool published_ = false;
};

// From now on who waits for a request watches, too; where the setting `check` wants it.
void watch_waits();

}  // namespace baton::collective
