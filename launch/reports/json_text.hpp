// Writes a text as JSON has it, for reports that are JSON. It is pure.
#pragma once

#include <string>

namespace baton::launch {

// Returns the text in quotes. Bytes that are no UTF-8 are replaced.
std::string json_text(const std::string& text);

}  // namespace baton::launch
