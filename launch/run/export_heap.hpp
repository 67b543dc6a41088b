// `mpiexec --export-heap` makes ranks preload a file.
#pragma once

#include <expected>
#include <string>

namespace baton::launch {

// Finds Baton's malloc (preload/) beside this program. The error says what is missing.
std::expected<std::string, std::string> find_preload();

}  // namespace baton::launch
