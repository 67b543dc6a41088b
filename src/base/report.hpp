// These functions write the library's messages to people on standard error. They are declared on
// the lowest layer, since every folder calls them. Invariant: a report harms nobody; what cannot be
// written is lost, and raises no SIGPIPE, which would end a rank that has done nothing wrong.
#pragma once

#include <cstddef>

namespace baton {

// Writes the text in one write, so that lines of several ranks do not mix. Signal handlers may call
// it. platform/report.cpp makes the system calls.
void write_report(const char* text, std::size_t bytes);

// Writes a line; "baton: " and the line's end are added. It is cut where it is too long.
__attribute__((format(printf, 1, 2))) void report(const char* format, ...);

}  // namespace baton
