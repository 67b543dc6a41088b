// The subcommands of `baton`. Each prints to standard output and returns the exit code: 0 only when
// it did what it says.
#pragma once

#include <string>

namespace baton::cli {

// The table of settings, as text or (for docs/settings.md) as Markdown.
int print_settings(bool markdown);

// The machine as placement sees it, or one captured by `lstopo --of xml`.
int print_topology(const std::string& captured_file);

// What of this system Baton needs or profits from works here, and what to do about what does not.
int examine_system();

}  // namespace baton::cli
