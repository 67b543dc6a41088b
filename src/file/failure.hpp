// Explains a system call that has failed on a file, in the standard's error classes for I/O. It is
// used by all of file/.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace baton::file {

// Returns the class of an errno: MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS, MPI_ERR_FILE_IN_USE,
// MPI_ERR_ACCESS, MPI_ERR_READ_ONLY, MPI_ERR_BAD_FILE, MPI_ERR_NO_SPACE, MPI_ERR_QUOTA,
// MPI_ERR_NO_MEM, MPI_ERR_UNSUPPORTED_OPERATION, else MPI_ERR_IO.
Error class_of_errno(int error);
// Records what failed, with the file's name and a remedy where one is known. `doing`: "writing 12
// bytes at 0".
[[nodiscard]] BATON_COLD Error explain_errno(int error, const char* name, const char* doing);
// Does so for a transfer of so many bytes at an address of the file.
[[nodiscard]] BATON_COLD Error explain_transfer(int error, const char* name, bool writes,
                                                std::int64_t address, std::int64_t bytes);

}  // namespace baton::file
