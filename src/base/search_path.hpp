// A search path is a list of folders with colons between them, such as LD_LIBRARY_PATH.
#pragma once

#include <string_view>

namespace baton {

// Takes every mention of `folder` out of `path`, in place; all else stays as it is. An empty entry
// means the current folder, so none may arise.
void remove_folder(char* path, std::string_view folder);

// Returns whether `path` mentions `folder`.
bool has_folder(std::string_view path, std::string_view folder);

}  // namespace baton
