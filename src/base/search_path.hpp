// Lists of folders with colons between them, such as LD_LIBRARY_PATH.
#pragma once

#include <string_view>

namespace baton {

// Takes every mention of `folder` out of `path`, in place; what else is there stays as it is. An
// empty entry means the current folder, so none may arise.
void remove_folder(char* path, std::string_view folder);

// Whether it is mentioned.
bool has_folder(std::string_view path, std::string_view folder);

}  // namespace baton
