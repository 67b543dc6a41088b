#include "base/report.hpp"

#include <cstdarg>
#include <cstdio>

namespace baton {

void report(const char* format, ...) {
  char text[1024] = "baton: ";
  constexpr std::size_t start = sizeof "baton: " - 1;
  constexpr std::size_t space = sizeof text - start - 1;  // the line's end is added behind it
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text + start, space, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  const std::size_t written =
      static_cast<std::size_t>(length) < space ? static_cast<std::size_t>(length) : space - 1;
  text[start + written] = '\n';
  write_report(text, start + written + 1);
}

}  // namespace baton
