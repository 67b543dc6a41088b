// Where this rank's time in MPI goes, for mpiexec --stats and --trace: the timed entry points
// (api/generated/timed.cpp) say what they do, and this writes it to the rank's part of the job's
// record (lockfree/timing.hpp). In a job that is not timed nothing of it runs.
// Invariant: a thread is in one timed call at a time; calls made from within it (callbacks of the
// program's) belong to it. Any thread may be in one.
#pragma once

#include <cstdint>

#include "tool/open_messages.hpp"

namespace baton::tool {

// MPI is there, and was being made since `began` (ticks): from now on calls are timed, if the job
// is. After each start of a world or session.
void begin_timing(std::int64_t began, int thread_level);
// After each end of one, which was asked for at `asked` (ticks): if it was the last, the run ended
// then.
void end_timing(std::int64_t asked);
// MPI_Pcontrol: calls in between are not recorded.
void pause_timing();
void resume_timing();

// One timed call, from construction to destruction.
class CallTimer {
 public:
  // `procedure`: its number, below procedures_max (tool/time_record.hpp), and its name.
  CallTimer(unsigned procedure, const char* name);
  ~CallTimer();
  CallTimer(const CallTimer&) = delete;
  CallTimer& operator=(const CallTimer&) = delete;

  // Data that it moves, of all kinds together.
  void moves(std::uint64_t bytes) { bytes_ += bytes; }
  // Collective calls are compared with those of other ranks.
  void is_collective(MPI_Comm comm);
  // It waits for a message of that rank alone; MPI_ANY_SOURCE says nothing.
  void awaits(MPI_Comm comm, int rank);

  // A message begins, or a receive, or both.
  void sends(MPI_Comm comm, int rank, int tag, std::uint64_t bytes);
  void receives(MPI_Comm comm, int rank, int tag);
  // The message has left, or will: the call did not fail.
  void sent() { sent_ = true; }
  // The receive has ended: a blocking call.
  void received(const MPI_Status& status);
  // What began goes on in a request, or will, each time that is started.
  void goes_on_in(MPI_Request request);
  void is_prepared_in(MPI_Request request);
  // MPI_Mprobe has taken a message; it is received now, or in a request.
  void took(MPI_Message message, MPI_Comm comm);
  void receives(MPI_Message message);

  // Of requests: one is started again; one is waited for; one has completed with this status; one
  // is freed. And a communicator is.
  void starts(MPI_Request request);
  void waits_for(MPI_Request request);
  void completed(MPI_Request request, const MPI_Status& status);
  void forgets(MPI_Request request);
  void forgets(MPI_Comm comm);

 private:
  void send_now(const OpenMessage& message);
  void receive_now(const OpenMessage& message, const MPI_Status& status);
  KnownCommunicator* hold(MPI_Comm comm);

  std::int64_t began_;
  std::int64_t waited_before_;
  std::uint64_t bytes_ = 0;
  std::uint16_t row_;
  bool sent_ = false;
  std::int32_t peer_ = -1;     // of its message; -1: none, or not one
  std::int32_t awaited_ = -1;  // the one rank whose message it waits for
  KnownCommunicator* held_ = nullptr;
  KnownCommunicator* collective_ = nullptr;
  std::uint32_t number_ = 0;      // of a collective call
  OpenMessage message_;           // that began in this call
  std::uint64_t message_in_ = 0;  // key of one that MPI_Mprobe took
};

}  // namespace baton::tool
