// These write sizes in words, as all reports have them. They are pure.
#pragma once

#include <string>

namespace baton::launch {

// Returns "32 KiB" or "1.5 MiB".
std::string bytes_text(double bytes);

// Returns the name of a class of sizes: "to 8 B", "over 2 MiB".
std::string size_text(int size);

}  // namespace baton::launch
