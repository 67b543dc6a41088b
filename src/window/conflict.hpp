// What `mpiexec --check` says of windows: conflicts, with the window, the ranks, the bytes and the
// remedy; and what it does not look at, said once a job. Used by check_access.cpp.
#pragma once

#include "window/access_table.hpp"
#include "window/window.hpp"

namespace baton::window {

// `access` to memory of rank `target` meets `other`, which was there first. MPI_ERR_RMA_CONFLICT,
// explained.
[[nodiscard]] BATON_COLD Error accesses_conflict(const Window& window, int target,
                                                 const Access& access, const Access& other,
                                                 Clash why);
// Bytes that `access` has changed were stored since by the target itself. The same error.
[[nodiscard]] BATON_COLD Error store_conflicts(const Window& window, int target,
                                               const Access& access, std::int64_t first,
                                               std::int64_t last);

BATON_COLD void say_not_copied(const Window& window, MPI_Aint bytes_max);
BATON_COLD void say_too_many(const Window& window);

}  // namespace baton::window
