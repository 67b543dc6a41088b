// Hints of communicators (MPI 5.0, "Communicator Info"): the assertions that the standard lists for
// all communicators, kept as bits. Pure. Other keys are ignored, as are values that are no boolean.
#pragma once

#include <cstdint>

#include "world/info.hpp"

namespace baton::world {

// One bit an assertion, in the order of the names in hint.cpp; set: "true". The default is none.
using Hints = std::uint32_t;

// Takes over what `info` (null: nothing) says; what it does not mention stays.
void update_hints(Hints& hints, const Info* info);

// Writes every hint with its value. MPI_ERR_NO_MEM, explained.
[[nodiscard]] Error describe_hints(Hints hints, Info& info);

}  // namespace baton::world
