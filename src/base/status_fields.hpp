// These functions read and write the hidden part of an MPI_Status. The ABI leaves MPI_internal[5]
// to the implementation: words 0 and 1 are the message's byte count, word 2 is 1 if it was
// cancelled. Layers 6 to 10 use them.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <cstring>

namespace baton {

// This byte count means MPI_UNDEFINED: MPI_Status_set_elements was given a count that no size can
// hold.
inline constexpr std::int64_t status_bytes_undefined = -1;

inline std::int64_t status_bytes(const MPI_Status& status) {
  std::int64_t bytes;
  std::memcpy(&bytes, &status.MPI_internal[0], sizeof bytes);
  return bytes;
}

inline void set_status_bytes(MPI_Status& status, std::int64_t bytes) {
  std::memcpy(&status.MPI_internal[0], &bytes, sizeof bytes);
}

inline bool status_cancelled(const MPI_Status& status) {
  return status.MPI_internal[2] != 0;
}

inline void set_status_cancelled(MPI_Status& status, bool cancelled) {
  status.MPI_internal[2] = cancelled;
}

// Sets the standard's empty status (any source, any tag, no bytes, not cancelled). MPI_ERROR is
// left alone: single completions may not touch it.
inline void set_status_empty(MPI_Status& status) {
  status.MPI_SOURCE = MPI_ANY_SOURCE;
  status.MPI_TAG = MPI_ANY_TAG;
  set_status_bytes(status, 0);
  set_status_cancelled(status, false);
}

}  // namespace baton
