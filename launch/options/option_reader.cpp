#include "launch/options/option_reader.hpp"

#include <utility>

#include "launch/options/value_text.hpp"

namespace baton::launch {

std::string Reader::take(const char* what) {
  if (attached) return *std::exchange(attached, std::nullopt);
  if (next < arguments.size()) return arguments[next++];
  fail(std::string(" needs ") + what);
  return {};
}

std::string Reader::take_some(const char* what) {
  std::string text = take(what);
  if (text.empty()) fail(std::string(": it is empty; it takes ") + what);
  return text;
}

long Reader::number(const char* what, long minimum, long maximum) {
  std::string text = take(what);
  auto value = number_in(text, minimum, maximum);
  if (!value)
    fail(" " + text + ": it takes " + what + " from " + std::to_string(minimum) + " to " +
         std::to_string(maximum));
  return value.value_or(minimum);
}

void Reader::fail(const std::string& problem) {
  if (error.empty()) error = option + problem;
}

}  // namespace baton::launch
