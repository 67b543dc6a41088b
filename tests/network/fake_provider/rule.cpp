#include "rule.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace fake {

void broken(const char* format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  std::fprintf(stderr, "fake provider (process %d): a rule is broken: %s\n", ::getpid(), text);
  std::fflush(stderr);
  std::abort();
}

}  // namespace fake
