// Errors of writes that the program has not looked at. The handler of files returns errors by
// default, so a program that ignores them would lose data in silence; closing the file tells of
// that once.
// Invariant: a program that has called MPI_Error_class or MPI_Error_string since has looked.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton::file {

struct LostData {
  bool any = false;
  std::uint32_t looks = 0;  // of the program at errors, before the loss
  char text[200];           // the explanation of the first loss
};

// Notes that a write to a file has failed, as last explained.
void note_lost_data(LostData& lost);
// Notes that the program has looked at an error.
void note_look();
// Prints what was lost, if the program has not looked, and its handler of errors is the default.
// Called when the file is closed.
void tell_of_lost_data(const LostData& lost, const ErrorTarget& errors);

}  // namespace baton::file
