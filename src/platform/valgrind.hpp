// Valgrind sees what this process writes to its memory and what system calls write for it, but not
// what other processes write there: it would take a message's data for uninitialized.
#pragma once

namespace baton::platform {

// Returns whether this process runs under one of Valgrind's tools.
bool runs_under_valgrind();

}  // namespace baton::platform
