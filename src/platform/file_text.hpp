// The whole text of a small file, mostly of /proc and /sys. For launcher and tools: it allocates.
// A file may go while it is read (a process ends): that is nothing, too.
#pragma once

#include <optional>
#include <string>

namespace baton::platform {

// Returns the file's text; nothing, with errno set, where it cannot be opened or read to its end.
// That may also happen to a file that vanishes while it is read, since its process ends.
std::optional<std::string> file_text(const std::string& path);

}  // namespace baton::platform
