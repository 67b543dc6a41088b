// These write values of settings as people write them, such as 64k.
#pragma once

#include <cstdint>
#include <string>

namespace baton::cli {

std::string value_text(std::int64_t value);
// Reads a text that value_text makes.
std::int64_t value_of_text(const std::string& text);

}  // namespace baton::cli
