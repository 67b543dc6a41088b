// What a target refuses when it carries out an operation for this rank, explained. Used by all ways
// that need the target: messages, transfers, delegated work.
#pragma once

#include <cstdint>

#include "base/error.hpp"

namespace baton::window {

// An error that the target has answered; MPI_SUCCESS stays what it is.
Error refused(int rank, std::int32_t error);

}  // namespace baton::window
