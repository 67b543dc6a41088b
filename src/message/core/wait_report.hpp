// The report of a long wait that this rank makes on the status board, so that people see where a
// job hangs. Waiting calls it when a wait has lasted for some milliseconds and again while it
// lasts; short waits never come here. One thread at a time has the rank's lines; others wait
// unseen. A thread that waits for messages tells it only while it leads: under the progress lock
// nobody else changes what it describes.
#pragma once

#include <cstdint>

#include "lockfree/wait_lines.hpp"

namespace baton::message {

struct Request;

// The subject of a wait. It is made on cold paths only.
struct WaitSubject {
  enum class Kind : std::uint8_t { other, request, any_of_requests, probe, collective, own };
  Kind kind = Kind::other;
  const void* object = nullptr;  // a Request, MPI_Requests, a ProbeWait, a collective's run
  int count = 0;                 // of MPI_Requests
  // Adds the ranks that have not written to the memory that a collective awaits. Null: not known.
  void (*add_missing)(const void* state, lockfree::AwaitedRanks& missing) = nullptr;
  const void* state = nullptr;
  // Describes `object` in words and as ranks, for `own`, a kind that a higher layer has.
  void (*describe)(const void* object, lockfree::WaitDescription& wait) = nullptr;
  bool is_meeting = false;  // all ranks of the collective wait for each other
};

struct ProbeWait {
  const void* owner;  // the communicator
  int source;
  int tag;
};

// Fills in all but `procedure` and `since_ns`. Set by the layer that knows communicators; null
// until then.
extern void (*describe_wait)(const WaitSubject& subject, lockfree::WaitDescription& wait);

// The report of one wait. Its time begins with the first call of `tell`.
class WaitReport {
 public:
  // Says where this rank waits, once that has lasted, and now and then anew.
  void tell(const WaitSubject& subject);
  // The wait is over.
  void end();

 private:
  std::int64_t since_ns_ = 0;
  std::int64_t next_ns_ = 0;
  bool told_ = false;
};

}  // namespace baton::message
