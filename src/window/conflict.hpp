// These are the messages of `mpiexec --check` about windows: conflicts, with the window, the ranks,
// the bytes and the remedy; and the limits of the check, which are told once a job. They are used
// by check_access.cpp.
#pragma once

#include "window/access_table.hpp"
#include "window/window.hpp"

namespace baton::window {

// Reports that `access` to memory of rank `target` conflicts with `other`, which came first. Gives
// MPI_ERR_RMA_CONFLICT, explained.
[[nodiscard]] BATON_COLD Error accesses_conflict(const Window& window, int target,
                                                 const Access& access, const Access& other,
                                                 Clash why);
// Reports that the target itself has stored to bytes that `access` has changed. Gives
// MPI_ERR_RMA_CONFLICT, explained.
[[nodiscard]] BATON_COLD Error store_conflicts(const Window& window, int target,
                                               const Access& access, std::int64_t first,
                                               std::int64_t last);

BATON_COLD void say_not_copied(const Window& window, MPI_Aint bytes_max);
BATON_COLD void say_too_many(const Window& window);

}  // namespace baton::window
