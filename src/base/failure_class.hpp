// The error classes of failed processes and revoked communicators. The standard's ABI has no values
// for them yet. These are MPICH's, which lie between the ABI's last class and MPI_ERR_LASTCODE;
// include/mpi-ext.h names them MPIX_ERR_*.
#pragma once

#include "base/error.hpp"

namespace baton {

inline constexpr Error error_process_failed = 101;
inline constexpr Error error_failure_pending = 102;
inline constexpr Error error_revoked = 103;

}  // namespace baton
