// These functions start and join threads of the library, beside the program's (message/ has one;
// calls with a limit make short-lived ones), and count a process's threads.
#pragma once

#include <pthread.h>

namespace baton::platform {

// Starts the thread; signals never go to it. Returns 0, or the error.
int start_thread(pthread_t& thread, const char* name, void (*body)());
int start_thread(pthread_t& thread, const char* name, void* (*body)(void*), void* argument);
// Waits for the thread's end.
void join_thread(pthread_t thread);

// Returns the number of threads of this process, the program's and ours; 0 where /proc does not
// say. It takes about one system call.
int thread_count();

}  // namespace baton::platform
