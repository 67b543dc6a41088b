// This is how ranks find Baton's own libmpi_abi.so.1, whatever they were linked against: a folder
// that holds nothing else stands first in their LD_LIBRARY_PATH, so that it hides no other library.
#pragma once

#include <string>

namespace baton::launch {

struct LibraryFolder {
  std::string path;     // absolute; empty: there is no such folder
  std::string warning;  // why the folder cannot be used
};

// Finds the folder relative to this program, built or installed.
LibraryFolder find_library_folder();

}  // namespace baton::launch
