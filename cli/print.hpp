// All text of the tool is printed here. fmt::print throws where a stream is full or closed; here
// the error stays with the stream, and end_of_output() makes it the exit code.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <utility>

namespace baton::cli {

template <class... Arguments>
void write_out(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  const std::string text = fmt::format(form, std::forward<Arguments>(arguments)...);
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
}

template <class... Arguments>
void write_error(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  const std::string text = fmt::format(form, std::forward<Arguments>(arguments)...);
  (void)std::fwrite(text.data(), 1, text.size(), stderr);
}

// Returns `code`, or 1 instead of 0 where standard output could not be written.
int end_of_output(int code);

}  // namespace baton::cli
