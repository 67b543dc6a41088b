// One run of baton-measure: a real job of two ranks, on two CPUs, with given settings; or one of
// many ranks with a given algorithm.
#pragma once

#include <expected>
#include <string>
#include <vector>

#include "base/algorithm.hpp"
#include "cli/run_job.hpp"
#include "cli/tune/question.hpp"

namespace baton::cli::tune {

// Where the programs of a job are.
struct Programs {
  std::string mpiexec;
  std::string measure;
};

// Beside this tool, built or installed; the error names what is missing.
std::expected<Programs, std::string> find_programs();

struct Measured {
  std::string data;
  std::int64_t bytes;
  double us;
};

// Runs it and waits. It is ended early when a signal has come (see interrupted); then, and when it
// fails, the error says what happened.
std::expected<std::vector<Measured>, std::string> measure(
    const Programs& programs, const profile::Pair& pair, const Variant& variant,
    const char* pattern, const std::vector<std::int64_t>& sizes, int milliseconds);

// The same for a collective among `ranks`, all of whose calls go by one algorithm wherever it can
// serve.
std::expected<std::vector<Measured>, std::string> measure_collective(
    const Programs& programs, int ranks, Algorithm algorithm,
    const std::vector<std::int64_t>& sizes, int milliseconds);

// The same between two ranks that only the network is between: on these two hosts, or here over the
// loopback, with what the user's environment says of the network. `options` are mpiexec's, `words`
// baton-measure's; all that the job has said.
std::expected<std::string, std::string> measure_network(
    const Programs& programs, const std::vector<std::string>& hosts,
    const std::vector<std::pair<const char*, std::string>>& settings,
    const std::vector<std::string>& options, const std::vector<std::string>& words);
std::vector<Measured> cells_in(const std::string& text);

}  // namespace baton::cli::tune
