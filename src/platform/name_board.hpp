// A board on which processes of one user put short texts for each other, each under a name: files
// in a folder of shared memory that only this user may enter. A text counts while the process lives
// that has written it; those of dead processes are removed by whoever comes next.
#pragma once

#include <cstddef>

namespace baton::platform {

// Writes a text under `entry`, the name of a file, for a `title` that readers check. False with
// errno set; EEXIST: a living process has written there.
bool write_on_board(const char* entry, const char* title, const char* text);
// Reads the text; false: there is none.
bool read_on_board(const char* entry, const char* title, char* text, std::size_t size);
void remove_from_board(const char* entry);
// Removes what dead processes have left, and the folder if it is empty then.
void tidy_board();

}  // namespace baton::platform
