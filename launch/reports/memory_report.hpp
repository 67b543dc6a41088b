// What `mpiexec --memory-report` says at a job's end: on which NUMA nodes the pages lie, as the
// kernel tells it. The slices are looked at here, when the ranks have ended; what was a rank's own
// it has left in its MemoryRecord.
#pragma once

#include <string>

#include "launch/run/job_file.hpp"
#include "launch/run/memory.hpp"

namespace baton::launch {

std::string memory_report(const JobFile& file, const machine::Machine& machine,
                          const MemoryPlan& plan);

}  // namespace baton::launch
