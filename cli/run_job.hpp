// This runs programs and waits for them: jobs of `baton tune` and `baton advise`.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace baton::cli {

struct JobEnd {
  int code = 0;        // 128+n for a signal
  std::string output;  // of both streams; of very long output the end
};

// Runs words[0] with an empty standard input, on these CPUs (none: on all), to its end. It is ended
// early when a signal has come (see interrupted) or the seconds are over (0: never); the error says
// so, or that it did not start.
std::expected<JobEnd, std::string> run_job(std::vector<std::string> words,
                                           std::vector<std::string> environment,
                                           const std::vector<int>& cpus = {}, int seconds_max = 0);

// Returns the variables of this process.
std::vector<std::string> own_environment();

// Finds a program of Baton's by its path relative to this tool's folder, built or installed. The
// error names what is missing.
std::expected<std::string, std::string> find_beside(const std::string& relative);

// From now on SIGINT and SIGTERM end the job that runs, and are remembered.
void watch_signals();
bool interrupted();
inline constexpr int interrupted_code = 130;  // exit code in that case

}  // namespace baton::cli
