#include "base/error.hpp"

#include <cstdarg>
#include <cstdio>

namespace baton {

// The record stays in the TLS block: a pointer there would need an allocation on failure paths, and
// these 500 bytes are only touched when something fails.
Explanation& last_explanation() {
  static thread_local Explanation explanation;
  return explanation;
}

Error fail(Error error_class, const char* format, ...) {
  Explanation& explanation = last_explanation();
  explanation.error_class = error_class;
  explanation.target = nullptr;
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(explanation.text, sizeof explanation.text, format, arguments);
  va_end(arguments);
  return error_class;
}

}  // namespace baton
