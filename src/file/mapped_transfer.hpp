// Moves runs of a file through a mapping of it, where its pages lie in memory anyway: no call a
// run, no copy of what lies between the runs, and ranks of a node share the pages. Called by
// transfer.cpp; access_all.cpp asks before an exchange.
// Invariant: a write changes no other bytes; what cannot go through the mapping goes by calls.
#pragma once

#include <cstdint>

#include "file/file.hpp"

namespace baton::file {

// Returns whether an access of so many bytes at a position should go this way: the runs are not
// long, few or far apart, and the file's pages lie in the kernel's cache. Very short runs are
// written this way wherever the pages lie.
bool goes_through_mapping(File& file, bool writes, std::int64_t position, std::int64_t bytes);
// Returns whether it should, and the pages lie in the kernel's cache.
bool is_in_memory(File& file, bool writes, std::int64_t position, std::int64_t bytes);

// Moves packed bytes from or to `data`. `*moved`, 0 before, says how many have moved. Returns
// whether that is all; false: the rest has to go by calls.
bool move_mapped(File& file, bool writes, std::int64_t position, char* data, std::int64_t bytes,
                 std::int64_t* moved);

}  // namespace baton::file
