// Sizes in words, as all reports have them. Pure.
#pragma once

#include <string>

namespace baton::launch {

// "32 KiB", "1.5 MiB".
std::string bytes_text(double bytes);

// A class of sizes: "to 8 B", "over 2 MiB".
std::string size_text(int size);

}  // namespace baton::launch
