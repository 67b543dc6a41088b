// Tells what the calls of all ranks have done to a file, for `mpiexec --explain`. It is called when
// the file is closed.
#pragma once

#include "file/file.hpp"

namespace baton::file {

// Tells it on standard error of the file's first rank, once for all. All ranks of the file call.
void explain(File& file);

}  // namespace baton::file
