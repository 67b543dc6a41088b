// Publishes what this rank's calls have done to a file, for `mpiexec --explain`. It is called when
// the file is closed, or MPI ends with the file open.
#pragma once

#include "file/file.hpp"

namespace baton::file {

void explain(const File& file);

}  // namespace baton::file
