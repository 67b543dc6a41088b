#include "platform/thread.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

namespace baton::platform {

namespace {

void* run(void* body) {
  reinterpret_cast<void (*)()>(body)();
  return nullptr;
}

}  // namespace

int start_thread(pthread_t& thread, const char* name, void (*body)()) {
  return start_thread(thread, name, run, reinterpret_cast<void*>(body));
}

int start_thread(pthread_t& thread, const char* name, void* (*body)(void*), void* argument) {
  sigset_t all, before;
  sigfillset(&all);
  // The thread inherits the signals that are blocked now, so the program's handlers run in its own
  // threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, nullptr, body, argument);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pthread_setname_np(thread, name);
  return error;
}

void join_thread(pthread_t thread) {
  pthread_join(thread, nullptr);
}

int thread_count() {
  char text[1024];
  const int file = open("/proc/self/stat", O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  const ssize_t length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0) return 0;
  text[length] = 0;
  const char* name_end = strrchr(text, ')');  // the name may hold any character
  int threads = 0;
  if (name_end)
    sscanf(name_end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %d",
           &threads);
  return threads;
}

}  // namespace baton::platform
