#include "file/background.hpp"

#include <cstring>
#include <new>

#include "file/io_threads.hpp"
#include "file/queued_read.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/requests.hpp"
#include "message/core/wake.hpp"
#include "platform/lock.hpp"

namespace baton::file {

namespace {

struct Background {
  message::ListSource<BackgroundAccess> under_way;
  platform::Lock lock;  // of the number of open files
  int files = 0;
};
constinit Background background;

// The words of an error, which the request keeps until it is retired.
struct FailedAccess {
  char words[sizeof(Explanation::text)];
};
void recycle(message::Request& request) {
  delete static_cast<FailedAccess*>(request.state);
  request.state = nullptr;
  request.recycle = nullptr;
  request.datatype = nullptr;  // released already
  message::release_request(request);
}

}  // namespace

void BackgroundAccess::note_error(Error failed) {
  if (error || !failed) return;
  error = failed;
  std::memcpy(words, last_explanation().text, sizeof words);
}

void BackgroundAccess::end() {
  // ORDER file.background: release here, acquire in advance.
  is_done.store(true, std::memory_order_release);
  message::wake_waiters();
}

void BackgroundAccess::finish() {
  (void)note_outcome(*file, access, error);
  count_call(*file, access, false, moved);
  request->bytes = moved;
  if (error) {
    if (auto* failed = new (std::nothrow) FailedAccess) {
      std::memcpy(failed->words, words, sizeof words);
      request->state = failed;
      request->recycle = recycle;
    }
  }
  message::complete(*request, error);
  delete this;
}

bool start_in_background(File& file, const Access& access, const Placed& placed,
                         message::Request& request) {
  auto* started = new (std::nothrow) BackgroundAccess;
  if (!started) return false;
  started->file = &file;
  started->access = access;
  started->placed = placed;
  started->request = &request;
  if (!queue_read(*started) && !hand_to_threads(*started)) {
    delete started;
    return false;
  }
  background.under_way.add(*started);
  return true;
}

void note_open_file() {
  platform::Guard guard(background.lock);
  ++background.files;
}

void note_closed_file() {
  {
    platform::Guard guard(background.lock);
    if (--background.files > 0) return;
  }
  end_queue();
  end_threads();
}

void explain_again(const message::Request& request) {
  if (request.recycle == recycle)
    (void)fail(request.error, "%s", static_cast<const FailedAccess*>(request.state)->words);
}

}  // namespace baton::file
