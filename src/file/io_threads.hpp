// Threads that carry out nonblocking accesses of one rank while the program computes. They start
// when there is work for them, and end when the process has no file open. Called by
// start_access.cpp and open.cpp.
// Invariant: a thread touches nothing of MPI but the file of its access; the request is completed
// by whoever makes progress.
#pragma once

#include "file/access.hpp"
#include "message/core/request.hpp"

namespace baton::file {

// Takes over a placed access; the request completes when it is done. False: there is neither a
// thread nor memory for it, and nothing has happened.
bool hand_to_threads(File& file, const Access& access, const Placed& placed,
                     message::Request& request);

// Counts the files that are open. With the last one the threads end, when they have done all that
// was handed to them.
void note_open_file();
void note_closed_file();

// Restores the explanation of a completed request's error. It does nothing for other requests.
void explain_again(const message::Request& request);

}  // namespace baton::file
