// `mpiexec --memory-report` says at a job's end on which NUMA nodes the pages lie, as the kernel
// tells it. The slices are examined here, when the ranks have ended; for its private memory each
// rank has left a MemoryRecord.
#pragma once

#include <string>

#include "launch/run/job_file.hpp"
#include "launch/run/memory.hpp"

namespace baton::launch {

std::string memory_report(const JobFile& file, const machine::Machine& machine,
                          const MemoryPlan& plan);

}  // namespace baton::launch
