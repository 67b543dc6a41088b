#include "file/io_threads.hpp"

#include <pthread.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/engine.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/requests.hpp"
#include "message/core/wake.hpp"
#include "platform/thread.hpp"

namespace baton::file {

namespace {

constexpr int threads_max = 4;  // guess: devices do several things at once, and more ranks ask

// An access on its way through the threads and back to who makes progress.
struct Job {
  File* file;
  Access access;
  Placed placed;
  message::Request* request;
  std::int64_t moved = 0;
  Error error = MPI_SUCCESS;
  char words[sizeof(Explanation::text)];
  std::atomic<bool> is_done{false};
  Job* next_waiting = nullptr;
  Job* next = nullptr;  // in the source of progress

  // --- for ListSource
  bool advance() {
    // ORDER file.job: acquire here, release in carry_out_job; the result.
    return is_done.load(std::memory_order_acquire);
  }
  void finish();
};

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

void Job::finish() {
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

// It is never destroyed: threads of a program that leaves files open sleep here until the process
// is gone.
struct IoThreads {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work = PTHREAD_COND_INITIALIZER;
  Job* first = nullptr;
  Job* last = nullptr;
  int threads = 0, idle = 0, files = 0;
  bool ends = false;
  pthread_t started[threads_max] = {};
  message::ListSource<Job> under_way;
};
constinit IoThreads io_threads;

struct Hold {
  Hold() { pthread_mutex_lock(&io_threads.mutex); }
  ~Hold() { pthread_mutex_unlock(&io_threads.mutex); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
};

void carry_out_job(Job& job) {
  job.error = carry_out(*job.file, job.access, job.placed, &job.moved);
  if (job.error) std::memcpy(job.words, last_explanation().text, sizeof job.words);
  // ORDER file.job: release here, acquire in Job::advance.
  job.is_done.store(true, std::memory_order_release);
  message::wake_waiters();
}

Job* next_job() {
  Hold hold;
  ++io_threads.idle;
  while (!io_threads.first && !io_threads.ends)
    pthread_cond_wait(&io_threads.work, &io_threads.mutex);
  --io_threads.idle;
  Job* job = io_threads.first;
  if (job) io_threads.first = job->next_waiting;
  return job;
}

void* work(void*) {
  while (Job* job = next_job()) carry_out_job(*job);
  return nullptr;
}

// Starts one more thread if all are busy. Returns whether there is any. Under the lock.
bool has_thread() {
  if (io_threads.idle > 0 || io_threads.threads == threads_max) return true;
  if (platform::start_thread(io_threads.started[io_threads.threads], "baton-file", work, nullptr) ==
      0)
    ++io_threads.threads;
  return io_threads.threads > 0;
}

}  // namespace

bool hand_to_threads(File& file, const Access& access, const Placed& placed,
                     message::Request& request) {
  auto* job = new (std::nothrow) Job;
  if (!job) return false;
  job->file = &file;
  job->access = access;
  job->placed = placed;
  job->request = &request;
  {
    Hold hold;
    if (!has_thread()) {
      delete job;
      return false;
    }
    if (io_threads.first)
      io_threads.last->next_waiting = job;
    else
      io_threads.first = job;
    io_threads.last = job;
  }
  io_threads.under_way.add(*job);
  pthread_cond_signal(&io_threads.work);
  return true;
}

void note_open_file() {
  Hold hold;
  ++io_threads.files;
}

void note_closed_file() {
  int threads;
  {
    Hold hold;
    if (--io_threads.files > 0) return;
    threads = io_threads.threads;
    io_threads.ends = threads > 0;
  }
  if (threads == 0) return;
  pthread_cond_broadcast(&io_threads.work);
  for (int i = 0; i < threads; ++i) platform::join_thread(io_threads.started[i]);
  Hold hold;
  io_threads.threads = 0;
  io_threads.ends = false;
}

void explain_again(const message::Request& request) {
  if (request.recycle == recycle)
    (void)fail(request.error, "%s", static_cast<const FailedAccess*>(request.state)->words);
}

}  // namespace baton::file
