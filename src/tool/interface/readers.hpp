// How performance variables are read. Each function reads the values of an object, which may be
// gone by now (then it returns false); `which` chooses among what the function can read.
// relaxed reads everywhere: other threads count meanwhile, and counters order nothing.
#pragma once

#include <cstdint>

#include "message/core/match.hpp"
#include "world/communicator.hpp"

namespace baton::tool {

// Returns the communicator behind a handle that is given as a number; null: there is none that the
// program may use now.
const Communicator* find_communicator(std::uint64_t object);
// Returns the queue of its messages between two ranks.
message::MatchQueue* queue_of_messages(std::uint64_t object);

// These are of the whole process.
bool read_counter(std::uint64_t, int which, std::uint64_t* values);
bool read_reason(std::uint64_t, int which, std::uint64_t* values);
bool read_algorithm(std::uint64_t, int which, std::uint64_t* values);
bool read_queued(std::uint64_t, int, std::uint64_t* values);
bool read_outstanding(std::uint64_t, int, std::uint64_t* values);
bool read_slept(std::uint64_t, int, std::uint64_t* values);
bool read_phase(std::uint64_t, int, std::uint64_t* values);
bool read_communicators(std::uint64_t, int, std::uint64_t* values);
// These are of a communicator: between this rank and each that it can address, by Way; and bytes of
// unexpected messages from each.
bool read_messages(std::uint64_t object, int way, std::uint64_t* values);
bool read_bytes(std::uint64_t object, int way, std::uint64_t* values);
bool read_unexpected_bytes(std::uint64_t object, int, std::uint64_t* values);
bool read_unexpected(std::uint64_t object, int, std::uint64_t* values);
bool read_posted(std::uint64_t object, int, std::uint64_t* values);
bool read_collectives(std::uint64_t object, int, std::uint64_t* values);
// These are of a window: a word of WindowCounts, by its place.
bool read_window(std::uint64_t object, int place, std::uint64_t* values);
// This is of a file: a word of FileCounts, by its place.
bool read_file(std::uint64_t object, int place, std::uint64_t* values);

}  // namespace baton::tool
