// This calls another library's function that may never return.
#pragma once

namespace baton::platform {

// Runs body(argument) in a thread of its own and waits for it. False when it has not returned after
// `limit_ms` milliseconds (ETIMEDOUT in errno) or no thread could be created. It may then still be
// running, so argument and what it points to must outlive the process.
bool call_within(int limit_ms, void (*body)(void*), void* argument);

}  // namespace baton::platform
