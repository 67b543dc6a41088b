// Finds the ranks that a process manager says are on this rank's node. The functions are pure; the
// text may be anything.
#pragma once

#include <string_view>

namespace baton::world {

// Reads PMI_process_mapping, "(vector,(first node,nodes,ranks on each),...)", whose blocks are gone
// through again and again until all ranks have a node. Writes the ranks on `rank`'s node,
// ascending, to `here` (space for `size`); returns their number, or 0 when the text says nothing
// usable.
int ranks_of_mapping(std::string_view mapping, int rank, int size, int* here);

// Reads a list as PMIx has it, "3,1,2" in any order, sometimes with ranges ("0-3"), with the result
// of ranks_of_mapping.
int ranks_of_list(std::string_view list, int rank, int size, int* here);

}  // namespace baton::world
