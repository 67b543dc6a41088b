#include "cli/doctor/folder.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

namespace baton::cli::doctor {

namespace {

Finding judge_one(const char* subject, int error, const char* good, const char* otherwise,
                  Verdict verdict) {
  if (error == 0) return {Verdict::good, subject, good};
  return {verdict, subject, fmt::format("{}; {}", std::strerror(error), otherwise)};
}

}  // namespace

std::vector<Finding> judge_folder(const Folder& facts) {
  const std::string system = fmt::format(
      "{} lies at {}",
      facts.file_system.empty() ? "a file system without a name" : facts.file_system, facts.path);
  if (facts.make_error != 0)
    return {{Verdict::bad, "folder",
             fmt::format("no file can be made in {}: {}", facts.path,
                         std::strerror(facts.make_error))}};
  std::vector<Finding> findings{
      {Verdict::good, "folder", system},
      {Verdict::note, "space", fmt::format("{} MiB free", facts.free_bytes >> 20)}};
  findings.push_back(judge_one("locks", facts.lock_error, "ranges can be locked: atomic mode works",
                               "MPI_File_set_atomicity fails at the first access",
                               Verdict::slower));
  findings.push_back(judge_one("preallocate", facts.reserve_error, "space can be reserved",
                               "MPI_File_preallocate writes zeros instead", Verdict::slower));
  if (facts.of_this_kernel)
    findings.push_back(judge_one("mapping", facts.map_error,
                                 "short runs are written through a mapping",
                                 "short runs are written by a call each", Verdict::slower));
  else
    findings.push_back({Verdict::slower, "mapping",
                        "the file system may be another machine's, so short runs of one rank are "
                        "written by a call each; collective writes exchange them"});
  findings.push_back(judge_one("O_DIRECT", facts.direct_error, "works; Baton does not use it",
                               "Baton does not use it", Verdict::note));
  constexpr const char* threads = "threads of the library do nonblocking reads";
  if (facts.uring_error == ENOSYS)
    findings.push_back({Verdict::note, "io_uring",
                        fmt::format("liburing (Debian and Ubuntu: liburing2) or the kernel's part "
                                    "of it is not there; {}",
                                    threads)});
  else
    findings.push_back(judge_one("io_uring", facts.uring_error,
                                 "works: nonblocking reads that wait for the device go by io_uring",
                                 threads, Verdict::note));
  return findings;
}

}  // namespace baton::cli::doctor
