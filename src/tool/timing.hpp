// This measures where a rank's time in MPI goes, for mpiexec --stats and --trace: the timed entry
// points (api/generated/timed.cpp) say what they do, and this writes it to the rank's part of the
// job's record (lockfree/timing.hpp). It does not run in a job that is not timed.
// Invariant: a thread is in one timed call at a time; calls made from within it (callbacks of the
// program's) belong to it. Any thread may be in one.
#pragma once

#include <cstdint>

#include "tool/open_messages.hpp"

namespace baton::tool {

// Notes that MPI is initialized, and was being initialized since `began` (ticks): from now on calls
// are timed, if the job is. It is called after each start of a world or session.
void begin_timing(std::int64_t began, int thread_level);
// It is called after each end of a world or session, which was asked for at `asked` (ticks): if it
// was the last, the run ended then.
void end_timing(std::int64_t asked);
// These serve MPI_Pcontrol: calls between them are not recorded.
void pause_timing();
void resume_timing();

// This is one timed call, from construction to destruction.
class CallTimer {
 public:
  // `procedure` is the procedure's number, below procedures_max (tool/time_record.hpp); `name` is
  // its name.
  CallTimer(unsigned procedure, const char* name);
  ~CallTimer();
  CallTimer(const CallTimer&) = delete;
  CallTimer& operator=(const CallTimer&) = delete;

  // The call moves this many bytes, of all kinds together.
  void moves(std::uint64_t bytes) { bytes_ += bytes; }
  // The call is collective; it is compared with those of other ranks.
  void is_collective(MPI_Comm comm);
  // The call waits for a message of that rank alone; with MPI_ANY_SOURCE it says nothing.
  void awaits(MPI_Comm comm, int rank);

  // The call begins a send, a receive, or both.
  void sends(MPI_Comm comm, int rank, int tag, std::uint64_t bytes);
  void receives(MPI_Comm comm, int rank, int tag);
  // The message has left, or will: the call did not fail.
  void sent() { sent_ = true; }
  // The receive of a blocking call has ended.
  void received(const MPI_Status& status);
  // The message continues in a request, or will, each time that request is started.
  void goes_on_in(MPI_Request request);
  void is_prepared_in(MPI_Request request);
  // MPI_Mprobe has taken a message; it is received now, or in a request.
  void took(MPI_Message message, MPI_Comm comm);
  void receives(MPI_Message message);

  // These note that a request is started again, is waited for, has completed with this status, or
  // is freed; the last one notes that a communicator is freed.
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
  std::int32_t peer_ = -1;     // rank of its message; -1: none, or several
  std::int32_t awaited_ = -1;  // the one rank whose message it waits for
  KnownCommunicator* held_ = nullptr;
  KnownCommunicator* collective_ = nullptr;
  std::uint32_t number_ = 0;      // for a collective call
  OpenMessage message_;           // the message that began in this call
  std::uint64_t message_in_ = 0;  // key of a message that MPI_Mprobe took
};

}  // namespace baton::tool
