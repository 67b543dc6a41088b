// This copies the ranks' records of their time in MPI (lockfree/timing.hpp) into plain data, in
// seconds, for mpiexec and `baton stat`. The ranks may have ended, have died, or still run.
// Invariant: a record may hold anything, since ranks can write there; all values are bounded here.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lockfree/timing.hpp"

namespace baton::status {

// This measures how long a tick is: it reads the clock of the ranks and the launcher's, some time
// apart.
class TickLength {
 public:
  TickLength();
  double seconds_per_tick() const;  // as of now

 private:
  std::int64_t ticks_;
  std::int64_t ns_;
};

// This says where the record of a job is.
struct TimingPlace {
  int descriptor = -1;           // of the job's memory file
  std::uint32_t all_ranks = 0;   // of the job
  std::uint32_t ranks = 0;       // of these on this node, the first of which is
  std::uint32_t first_rank = 0;  // this one
  lockfree::TimingPlan plan;
};

struct CallTotals {
  std::uint64_t calls = 0;
  double seconds = 0;
  double waiting = 0;  // part of the time in calls
  double longest = 0;
  std::uint64_t bytes = 0;
  void add(const CallTotals& other);
};
using CallSizes = std::array<CallTotals, lockfree::timed_sizes>;

struct TimedCallRow {
  std::string name;
  CallSizes sizes;
};

struct PeerTotals {
  int peer = 0;
  std::uint64_t sent_messages = 0, sent_bytes = 0;
  std::uint64_t received_messages = 0, received_bytes = 0;
  double waiting = 0;
};

// This is a communicator as one of its ranks knows it.
struct CommunicatorInUse {
  std::uint32_t id, first_member, ranks;
  bool between_groups;
  std::string name;  // empty: it has none
};

struct CollectiveCall {
  double entered, left;  // since the first rank began
  std::uint32_t number;
  std::uint16_t communicator, call;
};

struct RankTimes {
  bool elsewhere = false;  // on another node: nothing is known of it here
  bool began = false;
  bool ended = false;         // else the rank died, or left MPI without finalizing
  bool threads = false;       // several threads may be in MPI at the same time
  double begin = 0, end = 0;  // since the first rank began
  double paused = 0;          // by MPI_Pcontrol, between begin and end
  double initializing = 0;    // before begin
  std::vector<TimedCallRow> calls;
  std::vector<std::string> names;  // of calls as events number them
  std::vector<PeerTotals> peers;   // ranks with which there were messages
  std::vector<CommunicatorInUse> communicators;
  std::vector<CollectiveCall> collectives;
  std::uint32_t collective_stride = 1;  // every n-th call was kept
  std::uint64_t unkept_communicators = 0;
  std::uint64_t events = 0, lost_events = 0;
  int refused_errno = 0;

  double run() const { return end - begin - paused; }
  CallTotals all() const;
  PeerTotals with_all() const;  // its `peer` has no meaning
};

struct JobTimes {
  std::vector<RankTimes> ranks;   // all of the job
  std::vector<int> here() const;  // numbers of the ranks on this node
  double first = 0;               // when the first rank began, in ticks
  double seconds_per_tick = 0;
  double seconds(std::int64_t ticks) const {
    return (static_cast<double>(ticks) - first) * seconds_per_tick;
  }
};

JobTimes read_times(const TimingPlace& place, const TickLength& clock);

// Calls `take` with the events of one rank of this node, one after the other, until it returns
// false.
void read_events(const TimingPlace& place, int rank, std::uint64_t count,
                 const std::function<bool(const lockfree::Event&)>& take);

}  // namespace baton::status
