// This is the part of mpiexec --explain about files: how their bytes moved, and why collective
// accesses exchanged data or did not. It is pure.
#pragma once

#include <string>
#include <vector>

#include "base/file_counts.hpp"

namespace baton::launch {

// These are the files of several ranks.
struct FileSums {
  std::vector<FileRecord> files;
  std::int64_t more = 0;  // openings of files that the ranks had no place for
};

// Adds one rank's files to a sum.
void add_files(FileSums& sum, const FileRecords& records);

// Reports each file; empty when there were none.
std::string files_text(const FileSums& sum);

// Returns a list of files; docs/launching.md describes one.
std::string files_json(const FileSums& sum);

}  // namespace baton::launch
