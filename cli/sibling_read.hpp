// This finds out by trying whether one rank may copy from another's memory.
#pragma once

namespace baton::cli {

// Returns 0, or the errno with which the kernel refuses such a copy.
int sibling_read_error();

}  // namespace baton::cli
