// What the library tells people from within a program, on standard error. Declared on the lowest
// layer, since every folder has something to tell. Invariant: a report harms nobody; what cannot be
// written is lost, and raises no SIGPIPE, which would end a rank that has done nothing wrong.
#pragma once

#include <cstddef>

namespace baton {

// As one write, so that lines of several ranks do not mix. Signal handlers may call it. Where the
// system calls are: platform/report.cpp.
void write_report(const char* text, std::size_t bytes);

// A line; "baton: " and the line's end are added. Cut where it is too long.
__attribute__((format(printf, 1, 2))) void report(const char* format, ...);

}  // namespace baton
