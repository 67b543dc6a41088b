#include "platform/thread.hpp"

#include <csignal>

namespace baton::platform {

namespace {

void* run(void* body) {
  reinterpret_cast<void (*)()>(body)();
  return nullptr;
}

}  // namespace

int start_thread(pthread_t& thread, const char* name, void (*body)()) {
  sigset_t all, before;
  sigfillset(&all);
  // The thread inherits what is blocked now: the program's handlers run in the program's threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, nullptr, run, reinterpret_cast<void*>(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error == 0) pthread_setname_np(thread, name);
  return error;
}

void join_thread(pthread_t thread) {
  pthread_join(thread, nullptr);
}

}  // namespace baton::platform
