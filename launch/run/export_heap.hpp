// `mpiexec --export-heap`: which file ranks preload for it.
#pragma once

#include <expected>
#include <string>

namespace baton::launch {

// Baton's malloc (preload/), found beside this program. The error says what is missing.
std::expected<std::string, std::string> find_preload();

}  // namespace baton::launch
