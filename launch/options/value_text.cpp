#include "launch/options/value_text.hpp"

#include <cctype>
#include <charconv>

namespace baton::launch {

std::optional<long> number_in(const std::string& text, long minimum, long maximum) {
  long value = 0;
  const char* end = text.data() + text.size();
  auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end || value < minimum || value > maximum)
    return std::nullopt;
  return value;
}

std::vector<std::string> parts_of(const std::string& text, const char* separators) {
  std::vector<std::string> parts;
  std::size_t start = 0;
  while (true) {
    const std::size_t stop = text.find_first_of(separators, start);
    parts.push_back(text.substr(start, stop - start));
    if (stop == std::string::npos) return parts;
    start = stop + 1;
  }
}

std::string lower_case(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace baton::launch
