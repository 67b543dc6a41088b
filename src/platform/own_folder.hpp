// Where this program's file lies: launcher and tool find beside it what else belongs to Baton,
// built or installed.
#pragma once

#include <climits>

namespace baton::platform {

// Writes the folder, without a slash at its end. False with errno set when there is no /proc.
bool own_folder(char (&folder)[PATH_MAX]);

}  // namespace baton::platform
