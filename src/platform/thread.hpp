// A thread of the library's own, beside the program's (message/ has one; calls with a limit make
// short ones); and how many there are.
#pragma once

#include <pthread.h>

namespace baton::platform {

// Starts it; signals never go to it. 0, or the error.
int start_thread(pthread_t& thread, const char* name, void (*body)());
int start_thread(pthread_t& thread, const char* name, void* (*body)(void*), void* argument);
// Waits for its end.
void join_thread(pthread_t thread);

// Threads of this process, the program's and ours; 0 where /proc does not say. A system call or so.
int thread_count();

}  // namespace baton::platform
