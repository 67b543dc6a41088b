// This is what the ranks of a file share on a node, and the shared file pointer, which ranks that
// do not reach it ask for by messages. Used by open.cpp, pointer.cpp and exchange.cpp.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "file/file.hpp"
#include "lockfree/file_board.hpp"

namespace baton::file {

struct Board : lockfree::FileBoard<lockfree::Hardware> {};

// Makes the board, on the file's first rank. It lies in the exported heap where there is space, so
// that the node's ranks reach it. Error: MPI_ERR_NO_MEM, explained.
Error make_board(File& file);
// Returns the address that other ranks need to reach the board; 0: they cannot.
std::uint64_t board_address(const File& file);
// Finds the board of the file's first rank; there is none for this rank if it cannot be reached.
void reach_board(File& file, std::uint64_t address);
// Tells the owner that this rank uses board and staging no more, which it does not from then on.
void tell_left(File& file);
// Gives the memory back that this rank owns: at once where all that reach it have told so or have
// died, else when a later file is opened or closed.
void free_board(File& file);

// Makes memory for exchanges, on the first rank, and returns its address for others, or 0; and
// finds it on the others.
std::uint64_t make_staging(File& file);
void reach_staging(File& file, std::uint64_t address);

// Any rank: adds to the shared file pointer and gives its value before; sets it. In etypes of the
// view. Errors: those of messages.
Error add_to_shared_pointer(File& file, std::int64_t etypes, std::int64_t* before);
Error set_shared_pointer(File& file, std::int64_t etypes);

// Lets messages of this kind come. It is called before a file is opened with others.
void listen();
// Lets others ask this rank, from the time at which the file is opened until it is closed.
void list_file(File& file);
void unlist_file(File& file);

}  // namespace baton::file
