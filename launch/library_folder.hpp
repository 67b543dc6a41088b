// How ranks find Baton's own libmpi_abi.so.1, whatever they were linked against: a folder that
// holds nothing else stands first in their LD_LIBRARY_PATH, so that it hides no other library.
#pragma once

#include <string>
#include <vector>

namespace baton::launch {

struct LibraryFolder {
  std::string path;     // absolute; empty: there is none to lead to
  std::string warning;  // why it cannot be used
};

// Found beside this program, built or installed.
LibraryFolder find_library_folder();

// Puts it first in LD_LIBRARY_PATH, once; names it in BATON_LIBRARY_FOLDER, so that ranks can take
// it out again.
void lead_to(const std::string& folder, std::vector<std::string>& environment);

// Whether this is another launcher (mpirun, srun), whose programs are to find their own library.
bool is_launcher(const std::string& program);

}  // namespace baton::launch
