// A call into somebody else's library that may never return.
#pragma once

namespace baton::platform {

// Runs body(argument) in a thread of its own and waits for it. False when it has not returned after
// so many milliseconds (ETIMEDOUT in errno) or no thread could be had: then it may still be
// running, so argument and what it points to must outlive the process.
bool call_within(int limit_ms, void (*body)(void*), void* argument);

}  // namespace baton::platform
