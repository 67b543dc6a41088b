// The algorithms that copy straight between the buffers of ranks (direct_copy.hpp). `otherwise` is
// done where not all ranks can.
#pragma once

#include "collective/in_room.hpp"

namespace baton::collective {

Task broadcast_direct(Run& run, Meeting first, Meeting last, const Blocks& data, int root,
                      Task otherwise);
Task gather_direct(Run& run, Meeting first, Meeting last, const Blocks& mine, const Blocks& all,
                   int root, Task otherwise);
Task scatter_direct(Run& run, Meeting first, Meeting last, const Blocks& all, const Blocks& mine,
                    int root, Task otherwise);
Task allgather_direct(Run& run, Meeting first, Meeting last, const Blocks& mine, const Blocks& all,
                      Task otherwise);
Task alltoall_direct(Run& run, Meeting first, Meeting last, const Blocks& out, const Blocks& in,
                     Task otherwise);
// Each rank combines a part and puts the result to all that want it.
Task allreduce_direct(Run& run, Meeting first, Meeting last, Vector vector,
                      const void* contribution, void* result, Task otherwise);
Task reduce_direct(Run& run, Meeting first, Meeting last, Vector vector, const void* contribution,
                   void* result, int root, Task otherwise);
Task reduce_scatter_direct(Run& run, Meeting first, Meeting last, Vector whole,
                           const void* contribution, const Blocks& in, Task otherwise);

}  // namespace baton::collective
