// Bytes of long messages that are under way in this process, and their class on the status board;
// and what is known of others'. What is done in one step (packed, deposit, staged whole) is never
// counted. Budget while the class stays: an addition and a compare.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// Another class than the board says: writes it there.
BATON_COLD void publish_outstanding();

inline void add_outstanding(std::int64_t bytes) {
  const std::int64_t now = platform::add_shared(engine.outstanding_bytes, bytes);
  // A thread that publishes an older sum sees ours, or we its class.
  if (BATON_UNLIKELY(platform::threads_multiple)) lockfree::Hardware::full_fence();
  if (lockfree::channel_class(now) != platform::load_shared(engine.outstanding))
    publish_outstanding();
}
// Sets how many bytes of a request are still to come; 0 at its end.
inline void set_outstanding(Request& request, std::int64_t bytes) {
  const std::int64_t before = request.outstanding;
  request.outstanding = bytes;
  add_outstanding(bytes - before);
}

// How busy a rank is, as far as is known here: of this node by the status board, of others by what
// their packets have said lately. Idle where nothing is known. Any thread.
lockfree::ChannelClass channel_of(Process process);
// A rank that is about to choose whom it serves hears of us, if it is on another node, was sent to
// before, and what it was told then has changed much. Any thread.
void tell_channel(Process process);

// Counts a copy of so many bytes while it is made.
class OutstandingCopy {
 public:
  explicit OutstandingCopy(std::int64_t bytes) : bytes_(bytes) { add_outstanding(bytes_); }
  ~OutstandingCopy() { add_outstanding(-bytes_); }
  OutstandingCopy(const OutstandingCopy&) = delete;
  OutstandingCopy& operator=(const OutstandingCopy&) = delete;

 private:
  std::int64_t bytes_;
};

}  // namespace baton::message
