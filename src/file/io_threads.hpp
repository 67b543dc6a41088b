// Threads that carry out accesses in the background. They start when there is work for them.
// Called by background.cpp.
#pragma once

#include "file/background_access.hpp"

namespace baton::file {

// Takes over an access. False: there is no thread for it.
bool hand_to_threads(BackgroundAccess& access);
// Ends the threads, when they have done all that was handed to them.
void end_threads();

}  // namespace baton::file
