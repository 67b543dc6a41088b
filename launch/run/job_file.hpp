// The job's memory file is made here, inherited by every rank, and gone with the last of them. The
// launcher maps only its head (header and rows), which it writes and later reads. Invariant:
// offsets are read from `made`, which is private, never from the shared header: a rank's stray
// store must not lead the launcher astray.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "launch/options/options.hpp"
#include "lockfree/job.hpp"
#include "machine/machine.hpp"
#include "machine/placement.hpp"

namespace baton::launch {

struct JobFile {
  int descriptor = -1;
  lockfree::JobHeader* header = nullptr;    // shared with the ranks
  lockfree::JobHeader made{};               // as the launcher made it
  std::vector<lockfree::RankPlace> places;  // by rank, as the launcher wrote them
  std::uint32_t first_rank = 0;             // of this node, where other nodes have ranks, too

  // Tells the other ranks that one has failed, and wakes them.
  void tell_death(int rank) const;

  lockfree::RankRow& row(int rank) const {
    char* rows = reinterpret_cast<char*>(header) + made.rows_offset;
    return reinterpret_cast<lockfree::RankRow*>(rows)[rank];
  }
};

// These determine the file's size, and data that ranks find in it.
struct JobFeatures {
  bool continues = false;  // a rank that dies does not end the job
  bool explain = false;
  bool held = false;              // ranks wait for a debugger
  bool export_heap = false;       // without address space for it (ulimit -f) there is no heap
  bool timed = false;             // --stats or --trace
  std::uint64_t event_bytes = 0;  // of each rank, for --trace
  int ranks_per_node = 0;         // ranks of a pretended node; 0: it is one node
  NodeJob node_job = {};          // the job's nodes, of which this is one
};
// Makes, sizes, fills and seals the file.
std::expected<JobFile, std::string> make_job_file(const machine::Placement& placement,
                                                  lockfree::RingPlan rings,
                                                  const JobFeatures& features);

}  // namespace baton::launch
