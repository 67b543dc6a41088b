// Copies straight between the buffers of ranks, for long data: in one round all tell where their
// buffers lie, in another that they are done. If all copy from or to one rank, they do so in turns,
// few at a time. Where one rank cannot read another's memory, all see it in the first round and
// take another algorithm; no buffer has been touched by then. Where one root gives or takes all
// data, only the root is waited for, and a rank that cannot copy gets a message instead. Reading is
// spread over the ranks: each begins with its right neighbor (Chakraborty, Subramoni, Panda,
// "Contention-Aware Kernel-Assisted MPI Collectives for Multi-/Many-Core Systems").
#pragma once

#include <chrono>

#include "collective/algorithm.hpp"
#include "collective/room/turn.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

class DirectCopy {
 public:
  DirectCopy(Run& run, const Round& first, const Round& last)
      : told(run, first), done(run, last), run_(run) {}

  int rank() const { return told.rank(); }
  int ranks() const { return told.ranks(); }
  // Returns the other ranks, from our right neighbor on, for 0 to ranks() - 2.
  int other(int i) const { return (rank() + 1 + i) % ranks(); }

  // These replace meet_for_copies where data goes from or to one root: the root alone tells, once
  // told.may_write(), and waits for nobody. Each other rank awaits heard(), and decides for itself.
  void tell(const void* from, void* to, std::int64_t bytes, bool usable);
  auto heard(int root) {
    struct Heard {
      DirectCopy& copies;
      int root;
      bool operator()() const { return copies.told.has_arrived(root) && copies.is_known(root); }
      void add_missing(lockfree::AwaitedRanks& ranks) const {
        ranks.add(copies.told.world_rank(root));
      }
    };
    return run_.until(Heard{*this, root});
  }
  void agree_with(int root, std::int64_t bytes, bool usable);
  // Returns after meet_for_copies whether all can copy from all; after agree_with whether we can.
  bool agreed() const { return agreed_; }
  // Says, once done.may_write(), that we need nothing of the others any more.
  void say_done();
  // Returns whether a rank that has said so had agreed to copy.
  bool has_copied(int rank) const { return *done.payload(rank) != 0; }

  // Copies from a rank's data, from a byte on: packed there, typed here.
  void pull(int from, std::int64_t offset, void* to, std::int64_t count, const Datatype& type);
  void pull(int from, std::int64_t offset, void* to, std::int64_t bytes);
  // Copies to the place where a rank has told that it wants data.
  void push(const void* from, int to, std::int64_t offset, std::int64_t bytes);

  // `co_await` this, after agree_with, until it is our turn to copy from or to the root's memory.
  // say_done passes the turn on, also where we do not copy.
  auto turn() {
    return turn_.before < 0 ? done.arrived(0, 0) : done.arrived(turn_.before, turn_.before + 1);
  }

  // `co_await` this before the end: after a copy that the kernel has refused it waits for as long
  // as mpiexec may need to notice that the other rank has died. mpiexec then ends the job and says
  // which rank it was, which an error of ours would hide.
  auto noticed() {
    struct Noticed {
      using Clock = std::chrono::steady_clock;
      Clock::time_point end;
      bool operator()() const { return end == Clock::time_point() || Clock::now() >= end; }
    };
    using Clock = Noticed::Clock;
    const std::chrono::seconds enough(ended_ ? 10 : 1);  // guess
    return run_.until_progress(Noticed{refused_ ? Clock::now() + enough : Clock::time_point()});
  }

  Visit told, done;  // the two rounds

 private:
  friend Task meet_for_copies(Run& run, DirectCopy& copies, const void* from, void* to,
                              std::int64_t bytes, bool usable);
  friend Task go_otherwise(Run& run, DirectCopy& copies, Task otherwise);
  // Each rank writes this to its line.
  struct Told {
    std::int64_t bytes;  // first, as room_note::copies says
    const char* from;
    char* to;
    std::uint64_t usable;
  };
  void write_told(const void* from, void* to, std::int64_t bytes, bool usable);
  Told told_by(int rank) const;
  bool is_known(int rank) const;
  bool permitted() const;
  static int direct_at_once();  // 0: all
  void note_refusal(std::int64_t bytes, const char* way, int rank);

  Run& run_;
  bool agreed_ = false;
  bool foreign_ = false;  // a rank has called something else
  Turn turn_;
  bool refused_ = false;  // the kernel has refused a copy: no further one is tried
  bool ended_ = false;    // it refused because the other rank has ended
};

// Returns where the data of a buffer lies packed: in the buffer itself, or in a copy. Null without
// memory, and the run has the error.
const void* packed(Run& run, const void* buffer, std::int64_t count, const Datatype& type);

// Tells where our data lies packed and where we want the others' data (either may be null), and
// waits for all. `bytes` is the length that we believe each rank gives; a rank that believes
// otherwise gets its error from the other algorithm. `usable` says whether we could do our part.
Task meet_for_copies(Run& run, DirectCopy& copies, const void* from, void* to, std::int64_t bytes,
                     bool usable);
// Tells that we need nothing of the others any more. `waits`: it also waits until they need nothing
// of ours.
Task end_copies(Run& run, DirectCopy& copies, bool waits = true);
// Replaces both where not all agreed: it runs `otherwise`.
Task go_otherwise(Run& run, DirectCopy& copies, Task otherwise);

}  // namespace baton::collective
