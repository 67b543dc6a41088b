// The one progress loop: lanes, sources, queues, and what ranks of the node ask for.
#pragma once

#include "message/core/engine.hpp"

namespace baton::message {

// One round of progress; whether anything happened. Nothing when another thread is at it. Yields
// the CPU where ranks outnumber CPUs and nothing happened.
bool progress();
// Makes one round of progress, for a caller that holds the progress lock.
bool progress_alone();

// A source that is either active or not. Any thread.
void set_active(ProgressSource& source, bool active);

}  // namespace baton::message
