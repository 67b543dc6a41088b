// Long operations on memory that only the kernel could copy: their data goes through slots in
// memory that both ranks reach, filled by one and emptied by the other, as long messages do. That
// takes two CPUs and no system call, and less time than the kernel's copy. The target must be in
// MPI (delegate.hpp). Called by the operations, and by the target's progress.
#pragma once

#include "window/accumulate.hpp"
#include "window/delegate.hpp"
#include "window/operate.hpp"

namespace baton::window {

// Each moves one run of bytes as far as the target takes part: `done`. The rest is the caller's.
[[nodiscard]] Error stream_put(Window& window, const Spot& spot, const char* from,
                               std::int64_t bytes, std::int64_t* done);
[[nodiscard]] Error stream_get(Window& window, const Spot& spot, char* to, std::int64_t bytes,
                               std::int64_t* done);
[[nodiscard]] Error stream_accumulate(Window& window, const Spot& spot, const Elements& elements,
                                      const Operation& operation, const char* from,
                                      std::int64_t bytes, std::int64_t* done);

// The target's side, whose memory was checked. `type` and `operation` are of accumulates.
void stream_for(Work& work, LocalRank asker, Window& window, const Datatype* type,
                const Operation* operation);

// This rank's slots, if it has any; no window needs them any more.
void free_stream();

}  // namespace baton::window
