// How ranks find Baton's own libmpi_abi.so.1, whatever they were linked against: a folder that
// holds nothing else stands first in their LD_LIBRARY_PATH, so that it hides no other library.
#pragma once

#include <string>

namespace baton::launch {

struct LibraryFolder {
  std::string path;     // absolute; empty: there is none to lead to
  std::string warning;  // why it cannot be used
};

// Found beside this program, built or installed.
LibraryFolder find_library_folder();

}  // namespace baton::launch
