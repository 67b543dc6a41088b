#include "file/io_threads.hpp"

#include <pthread.h>

#include "platform/thread.hpp"

namespace baton::file {

namespace {

constexpr int threads_max = 4;  // guess: devices do several things at once, and more ranks ask

// It is never destroyed: threads of a program that leaves files open sleep here until the process
// is gone.
struct IoThreads {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t work = PTHREAD_COND_INITIALIZER;
  BackgroundAccess* first = nullptr;
  BackgroundAccess* last = nullptr;
  int threads = 0, idle = 0;
  bool ends = false;
  pthread_t started[threads_max] = {};
};
constinit IoThreads io_threads;

struct Hold {
  Hold() { pthread_mutex_lock(&io_threads.mutex); }
  ~Hold() { pthread_mutex_unlock(&io_threads.mutex); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
};

BackgroundAccess* next_access() {
  Hold hold;
  ++io_threads.idle;
  while (!io_threads.first && !io_threads.ends)
    pthread_cond_wait(&io_threads.work, &io_threads.mutex);
  --io_threads.idle;
  BackgroundAccess* access = io_threads.first;
  if (access) io_threads.first = access->next_waiting;
  return access;
}

void* work(void*) {
  while (BackgroundAccess* next = next_access()) {
    next->note_error(carry_out(*next->file, next->access, next->placed, &next->moved));
    next->end();
  }
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

bool hand_to_threads(BackgroundAccess& access) {
  {
    Hold hold;
    if (!has_thread()) return false;
    if (io_threads.first)
      io_threads.last->next_waiting = &access;
    else
      io_threads.first = &access;
    io_threads.last = &access;
  }
  pthread_cond_signal(&io_threads.work);
  return true;
}

void end_threads() {
  int threads;
  {
    Hold hold;
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

}  // namespace baton::file
