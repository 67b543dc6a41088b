// This writes text into a descriptor or a file that may block or have no reader. Nothing here
// throws or ends the process.
#pragma once

#include <expected>
#include <functional>
#include <string>
#include <string_view>

namespace baton::launch {

// Writes all of it, waiting for a reader as any program does, unless `give_up` says to wait no more
// (which works only on a descriptor that does not block). False: it could not, and errno says why;
// EAGAIN: given up.
bool write_text(int descriptor, std::string_view text, const std::function<bool()>& give_up = {});

// Opens a file for writing, which is made if it is not there; `how` is O_TRUNC or O_APPEND. It
// never waits: the descriptor does not block, and a pipe that nobody reads is an error.
std::expected<int, std::string> open_to_write(const std::string& name, int how);

}  // namespace baton::launch
