// This tells which file the running library is, for mpiexec --explain.
#pragma once

#include <cstddef>

namespace baton::platform {

// Writes the path by which the loader opened the file that this code is in; one that is too long
// loses its beginning. It is empty where the loader does not know.
void own_library(char* path, std::size_t size);

}  // namespace baton::platform
