// Error classes and codes: the standard's, with their texts, and those that programs add
// (MPI_Add_error_class and its siblings). Called by the error handlers and layer 10.
// Baton's own codes are the classes themselves; added codes lie above MPI_ERR_LASTCODE.
#pragma once

#include <cstddef>

#include "base/error.hpp"

namespace baton {

// The class of a code; MPI_ERR_UNKNOWN's class for a code nobody added.
Error error_class_of(int code);

// Whether a program may ask about `code`: the standard's range up to MPI_ERR_LASTCODE, in which
// unused numbers are of class MPI_ERR_UNKNOWN, or added and not removed.
bool error_code_known(int code);

// Writes the text of a code or class: the standard's, or the one the program gave ("" if it gave
// none). A copy, since another thread may take the program's text away.
void copy_error_text(int code, char* to, std::size_t room);

// "MPI_ERR_RANK" for a standard class, "error class N" words for an added one.
const char* error_class_name(Error error_class);

// The greatest code in use (attribute MPI_LASTUSEDCODE). The address stays valid.
const int& last_used_code();

// The bodies of MPI_Add_error_* and MPI_Remove_error_*. MPI_ERR_NO_MEM; MPI_ERR_ARG when the code
// is not the program's own or still in use.
[[nodiscard]] Error add_error_class(int* error_class);
[[nodiscard]] Error add_error_code(Error error_class, int* code);
[[nodiscard]] Error add_error_text(int code, const char* text);
[[nodiscard]] Error remove_error_class(Error error_class);
[[nodiscard]] Error remove_error_code(int code);
[[nodiscard]] Error remove_error_text(int code);

}  // namespace baton
