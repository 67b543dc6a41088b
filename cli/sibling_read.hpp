// Whether one rank may copy from another's memory: tried, not guessed.
#pragma once

namespace baton::cli {

// 0, or the errno with which the kernel refuses it.
int sibling_read_error();

}  // namespace baton::cli
