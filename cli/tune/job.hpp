// This runs baton-measure once: as a real job of two ranks, on two CPUs, with given settings; or of
// many ranks with a given algorithm.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/algorithm.hpp"
#include "cli/run_job.hpp"
#include "cli/tune/question.hpp"

namespace baton::cli::tune {

// These are the paths of a job's programs.
struct Programs {
  std::string mpiexec;
  std::string measure;
};

// Finds the programs beside this tool, built or installed; the error names what is missing.
std::expected<Programs, std::string> find_programs();

struct Measured {
  std::string data;
  std::int64_t bytes;
  double us;
};

// Runs the job and waits. It is ended early when a signal has come (see interrupted); then, and
// when it fails, the error says what happened.
std::expected<std::vector<Measured>, std::string> measure(
    const Programs& programs, const profile::Pair& pair, const Variant& variant,
    const char* pattern, const std::vector<std::int64_t>& sizes, int milliseconds);

// Measures a collective among `ranks` ranks, all of whose calls go by one algorithm wherever it can
// serve.
std::expected<std::vector<Measured>, std::string> measure_collective(
    const Programs& programs, int ranks, Algorithm algorithm,
    const std::vector<std::int64_t>& sizes, int milliseconds);

// Measures between two ranks that reach each other only by the network: on these two hosts, or here
// over the loopback, with the user's settings of the network. `options` are for mpiexec, `words`
// for baton-measure. Returns all output of the job.
std::expected<std::string, std::string> measure_network(
    const Programs& programs, const std::vector<std::string>& hosts,
    const std::vector<std::pair<const char*, std::string>>& settings,
    const std::vector<std::string>& options, const std::vector<std::string>& words);
std::vector<Measured> cells_in(const std::string& text);

}  // namespace baton::cli::tune
