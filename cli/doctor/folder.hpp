// This is what `baton doctor FOLDER` says of a folder in which programs have their files: which
// file system lies there, and what of it works. look_at_folder tries it with a file that it makes
// and deletes there; judge_folder is pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"

namespace baton::cli::doctor {

// In all facts an error is an errno; 0: it works.
struct Folder {
  std::string path;
  std::string file_system;      // as mount names it
  bool of_this_kernel = false;  // its mapped pages and transfers are the same memory
  int make_error = 0;           // of making a file; then nothing else was tried
  int lock_error = 0;           // of locking a range for an open file
  int reserve_error = 0;        // of reserving space (fallocate)
  int map_error = 0;            // of writing through a mapping
  int direct_error = 0;         // of O_DIRECT
  int uring_error = 0;          // of opening a queue of io_uring
  std::uint64_t free_bytes = 0;
};

Folder look_at_folder(const std::string& path);
std::vector<Finding> judge_folder(const Folder& facts);

}  // namespace baton::cli::doctor
