// These are error classes and codes: the standard's, with their texts, and those that programs add
// (MPI_Add_error_class and its siblings). They are called by the error handlers and layer 10.
// Baton's own codes are the classes themselves; added codes lie above MPI_ERR_LASTCODE.
#pragma once

#include <cstddef>

#include "base/error.hpp"

namespace baton {

// Returns the class of a code; MPI_ERR_UNKNOWN for a code nobody added.
Error error_class_of(int code);

// Returns whether a program may ask about `code`: it is in the standard's range up to
// MPI_ERR_LASTCODE, in which unused numbers are of class MPI_ERR_UNKNOWN, or it was added and not
// removed.
bool error_code_known(int code);

// Writes the text of a code or class: the standard's, or the one the program gave ("" if it gave
// none). The text is copied, since another thread may remove the program's text.
void copy_error_text(int code, char* to, std::size_t space);

// Returns "MPI_ERR_RANK" for a standard class, words such as "error class N" for an added one.
const char* error_class_name(Error error_class);

// Returns the greatest code in use (attribute MPI_LASTUSEDCODE). The address stays valid.
const int& last_used_code();

// These are the bodies of MPI_Add_error_* and MPI_Remove_error_*. Errors: MPI_ERR_NO_MEM;
// MPI_ERR_ARG when the code is not the program's own or still in use.
[[nodiscard]] Error add_error_class(int* error_class);
[[nodiscard]] Error add_error_code(Error error_class, int* code);
[[nodiscard]] Error add_error_text(int code, const char* text);
[[nodiscard]] Error remove_error_class(Error error_class);
[[nodiscard]] Error remove_error_code(int code);
[[nodiscard]] Error remove_error_text(int code);

}  // namespace baton
