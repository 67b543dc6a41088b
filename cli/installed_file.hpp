// What belongs to the tool: files in its own folder or in the library's beside it, built or
// installed.
#pragma once

#include <string>

namespace baton::cli {

// The file's real path; empty if it is not there.
std::string installed_file(const std::string& name);
// The same of the folder that messages call docs/.
std::string documents_folder();

}  // namespace baton::cli
