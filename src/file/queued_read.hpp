// Reads that the kernel's queue (platform/io_uring.hpp) carries out: of bytes that do not lie in
// the kernel's cache, together in memory, in runs that are neither short nor very long. The queue
// has more of them under way than there are threads; where no device is waited for, threads are
// quicker. Called by background.cpp.
#pragma once

#include "file/background_access.hpp"

namespace baton::file {

// Takes over an access. False: it is none for the queue, or there is no queue here.
bool queue_read(BackgroundAccess& access);
// Closes the queue. Nothing is under way.
void end_queue();

}  // namespace baton::file
