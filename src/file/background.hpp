// Nonblocking accesses of one rank that go on while the program computes: reads that wait for a
// device by the kernel's queue (queued_read.hpp), all else by threads (io_threads.hpp). What they
// use ends when the process has no file open. Called by start_access.cpp, open.cpp and api/.
#pragma once

#include "file/access.hpp"
#include "message/core/request.hpp"

namespace baton::file {

// Takes over a placed access; the request completes when it is done. False: there is no way or
// memory for it, and nothing has happened.
bool start_in_background(File& file, const Access& access, const Placed& placed,
                         message::Request& request);

// Counts the files that are open. With the last one the queue and the threads end.
void note_open_file();
void note_closed_file();

// Restores the explanation of a completed request's error. It does nothing for other requests.
void explain_again(const message::Request& request);

}  // namespace baton::file
