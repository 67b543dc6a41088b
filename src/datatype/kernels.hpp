// Kernels are the loops of the predefined operations. kernels.cpp is compiled once a level of
// vector instructions, each time into a namespace of its own; operation.cpp chooses. Invariant:
// results do not depend on the level, to the bit.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "datatype/element.hpp"

namespace baton::datatype {

// A kernel sets inout[i] = in[i] op inout[i] for `count` consecutive elements, in any alignment.
using Kernel = void (*)(const void* in, void* inout, std::int64_t count);

// Returns the kernel of a predefined operation on a kind of element; null where it is not defined
// (MPI 5.0, "Predefined Reduction Operations" and "MINLOC and MAXLOC"), and on levels above the
// baseline also where vector instructions have nothing to add.
namespace baseline {
Kernel find_kernel(MPI_Op operation, Element element);
}
#ifdef __x86_64__
namespace x86_64_v3 {
Kernel find_kernel(MPI_Op operation, Element element);
}
namespace x86_64_v4 {
Kernel find_kernel(MPI_Op operation, Element element);
}
namespace x86_64_v4_256 {  // the same instructions, most of them of 256 bits
Kernel find_kernel(MPI_Op operation, Element element);
}
#endif

}  // namespace baton::datatype
