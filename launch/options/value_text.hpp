// These read the text of an option's or a variable's value: as a number, in parts, in lower case.
// They are pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace baton::launch {

// Reads all of `text` as a number within bounds; nothing otherwise.
std::optional<long> number_in(const std::string& text, long minimum, long maximum);

// Splits "a,b,c" in parts; empty ones are kept.
std::vector<std::string> parts_of(const std::string& text, const char* separators);

std::string lower_case(std::string text);

}  // namespace baton::launch
