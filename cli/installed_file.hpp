// This finds files that belong to the tool, in its own folder or in the library's beside it, built
// or installed.
#pragma once

#include <string>

namespace baton::cli {

// Returns the file's real path; empty if it does not exist.
std::string installed_file(const std::string& name);
// Returns the real path of the folder that messages call docs/; empty if it does not exist.
std::string documents_folder();

}  // namespace baton::cli
