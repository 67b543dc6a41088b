// This reads the whole text of a small file, mostly of /proc and /sys. It allocates, so only
// launcher and tools use it. A file that vanishes while it is read, since its process ends, gives
// nothing.
#pragma once

#include <optional>
#include <string>

namespace baton::platform {

// Returns the file's text; nothing, with errno set, where it cannot be opened or read to its end.
std::optional<std::string> file_text(const std::string& path);

}  // namespace baton::platform
