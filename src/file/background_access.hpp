// An access in the background (background.hpp), as those that carry it out know it.
// Invariant: whoever carries out an access touches nothing of MPI but its file; the request is
// completed by who makes progress.
#pragma once

#include <atomic>

#include "file/access.hpp"
#include "message/core/request.hpp"

namespace baton::file {

// An access on its way, and back to who makes progress.
struct BackgroundAccess {
  File* file;
  Access access;
  Placed placed;
  message::Request* request;
  std::int64_t moved = 0;
  Error error = MPI_SUCCESS;
  char words[sizeof(Explanation::text)];  // of the error
  std::atomic<bool> is_done{false};
  BackgroundAccess* next_waiting = nullptr;
  BackgroundAccess* next = nullptr;  // in the source of progress

  // Notes an error with its explanation, unless there is one. By who carries it out.
  void note_error(Error failed);
  // Says that it is over. By who carries it out, who no longer touches it.
  void end();

  // --- for ListSource
  bool advance() {
    // ORDER file.background: acquire here, release in end; the result.
    return is_done.load(std::memory_order_acquire);
  }
  void finish();
};

}  // namespace baton::file
