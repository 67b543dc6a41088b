// A thread of the library's own, beside the program's. Used by message/ alone.
#pragma once

#include <pthread.h>

namespace baton::platform {

// Starts it; signals never go to it. 0, or the error.
int start_thread(pthread_t& thread, const char* name, void (*body)());
// Waits for its end.
void join_thread(pthread_t thread);

}  // namespace baton::platform
