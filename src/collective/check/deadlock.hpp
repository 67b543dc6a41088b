// `mpiexec --check` finds deadlocks: a rank that waits long publishes for what, in its row of the
// status board, and looks whether ranks wait for each other in a cycle, or for a rank that has
// called MPI_Finalize. A deadlock ends the job with words that name the ranks, because their calls
// cannot be taken back.
// Invariant: only a wait that no rank can end is reported; time alone is no reason. Processes with
// several threads publish nothing: another thread may still come.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "collective/check/checking.hpp"
#include "message/core/wait.hpp"

namespace baton::collective {

// One wait of this rank's program. `look_at` is called again and again while the wait lasts, with
// progress in between; `end` is called at its end.
class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { std::free(seen_); }
  // Looks at a call that is being compared, and in which the program waits.
  void look_at(const Checking& checking);
  // Looks at a message to be sent or received, or at a nonblocking call that is being compared.
  void look_at(const message::Request& request);
  // Looks at a message to be probed, where the setting `check` is on.
  void look_at(const message::ProbeWait& probe);
  void end();

 private:
  struct Subject;
  struct Seen;
  bool is_due();
  // Looks at a call. `apart`: the program waits for it in another call.
  void look_at_call(const Checking& checking, bool apart);
  void look(const Subject& subject);
  bool awaits_finalized(const Subject& subject, Process* awaited) const;
  bool is_confirmed(const LocalRank* cycle, std::uint32_t count);

  std::uint32_t polls_ = 0;
  std::int64_t started_ = 0;
  std::int64_t next_ = 0;
  std::uint32_t cycle_ = 0;      // ranks in the cycle that was seen
  std::uint32_t finalized_ = 0;  // looks that found a finalized rank
  Seen* seen_ = nullptr;         // as many as ranks, and a cycle; allocated in a long wait
  bool published_ = false;
};

// Makes waits for requests watch, too, from now on; where the setting `check` wants it.
void watch_waits();

}  // namespace baton::collective
