// This finds the folder of this program's file. Launcher and tool find the other files of Baton
// relative to it, built or installed.
#pragma once

#include <climits>

namespace baton::platform {

// Writes the folder, without a slash at its end. False with errno set when there is no /proc.
bool own_folder(char (&folder)[PATH_MAX]);

}  // namespace baton::platform
