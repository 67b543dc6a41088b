// Explains the error of a target that refuses to carry out an operation for this rank. It is used
// by all ways that need the target's help: messages, transfers, delegated work.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace baton::window {

// Explains an error that the target has answered; MPI_SUCCESS stays as it is.
Error refused(int rank, std::int32_t error);

}  // namespace baton::window
