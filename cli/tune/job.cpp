#include "cli/tune/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

#include "base/environment.hpp"
#include "base/settings.hpp"
#include "cli/tune/network_choice.hpp"

namespace baton::cli::tune {

namespace {

constexpr int job_seconds_max = 60;       // guess: one job lasts a second or two
constexpr int launcher_seconds_max = 90;  // guess, for jobs that another launcher starts

std::string setting_variable(const char* name) {
  std::string text = "BATON_";
  for (; *name; ++name) text += static_cast<char>(std::toupper(static_cast<unsigned char>(*name)));
  return text;
}

// Returns the user's environment without settings.
std::vector<std::string> plain_environment() {
  std::vector<std::string> all = own_environment();
  std::erase_if(all, [](const std::string& entry) {
    return entry.starts_with("BATON_") || entry.starts_with("OMP_NUM_THREADS=");
  });
  return all;
}

std::vector<std::string> job_words(const Programs& programs, std::vector<std::string> options,
                                   int milliseconds, const char* pattern,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> words = {programs.mpiexec, "--profile", "none", "--timeout",
                                    std::to_string(job_seconds_max)};
  words.insert(words.end(), options.begin(), options.end());
  for (const std::string& word : {programs.measure, std::to_string(milliseconds)})
    words.push_back(word);
  words.emplace_back(pattern);
  for (std::int64_t bytes : sizes) words.push_back(std::to_string(bytes));
  return words;
}

// Runs mpiexec, on two CPUs if `pair` names them, to its end.
std::expected<std::vector<Measured>, std::string> run(std::vector<std::string> words,
                                                      std::vector<std::string> environment,
                                                      const profile::Pair* pair) {
  std::vector<int> cpus;
  if (pair) cpus.assign(std::begin(pair->cpus), std::end(pair->cpus));
  auto end = run_job(std::move(words), std::move(environment), cpus);
  if (!end) return std::unexpected(end.error());
  if (end->code == 0) return cells_in(end->output);
  return std::unexpected(fmt::format("code {}: {}", end->code,
                                     end->output.empty() ? "it printed nothing" : end->output));
}

// Returns the user's settings of the network, which is to be measured with them.
std::vector<std::string> network_environment() {
  std::vector<std::string> all = plain_environment();
  for (const char* name : {"BATON_LIBFABRIC", "BATON_NETWORK_INTERFACE", "BATON_NETWORK_PROVIDER",
                           "BATON_SPIN_COUNT", "BATON_OTHER_JOBS"})
    if (const char* value = environment_variable(name))
      all.push_back(std::string(name) + "=" + value);
  return all;
}

}  // namespace

std::vector<Measured> cells_in(const std::string& text) {
  std::vector<Measured> cells;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, pattern;
    Measured cell{};
    if (words >> word >> pattern >> cell.data >> cell.bytes >> cell.us && word == "cell" &&
        cell.us > 0)
      cells.push_back(cell);
  }
  return cells;
}

std::expected<Programs, std::string> find_programs() {
  auto mpiexec = find_beside("mpiexec");
  if (!mpiexec) return std::unexpected(mpiexec.error());
  auto measure = find_beside(BATON_MEASURE_FROM_BIN "/baton-measure");
  if (!measure) return std::unexpected(measure.error());
  return Programs{*mpiexec, *measure};
}

std::expected<std::vector<Measured>, std::string> measure(
    const Programs& programs, const profile::Pair& pair, const Variant& variant,
    const char* pattern, const std::vector<std::int64_t>& sizes, int milliseconds) {
  std::vector<std::string> environment = plain_environment();
  for (const auto& [name, value] : variant.settings)
    environment.push_back(setting_variable(name) + "=" + value);
  std::vector<std::string> words =
      job_words(programs, {"--map-by", "hwthread", "--bind-to", "hwthread", "-n", "2"},
                milliseconds, pattern, sizes);
  auto cells = run(words, environment, &pair);
  if (cells && cells->size() == 2 * sizes.size()) return cells;
  return std::unexpected(fmt::format("a job of two ranks on CPUs {} and {} failed: {}",
                                     pair.cpus[0], pair.cpus[1],
                                     cells ? "it printed too little" : cells.error()));
}

std::expected<std::vector<Measured>, std::string> measure_collective(
    const Programs& programs, int ranks, Algorithm algorithm,
    const std::vector<std::int64_t>& sizes, int milliseconds) {
  const AlgorithmRow& row = row_of(algorithm);
  const char* kind = collective_kind_names[static_cast<int>(row.kind)];
  std::vector<std::string> environment = plain_environment();
  environment.push_back(fmt::format("BATON_COLLECTIVES={}={}", kind, row.name));
  std::vector<std::string> words =
      job_words(programs, {"-n", std::to_string(ranks)}, milliseconds, kind, sizes);
  auto cells = run(words, environment, nullptr);
  if (cells && cells->size() == sizes.size()) return cells;
  return std::unexpected(fmt::format("a job of {} ranks with {} failed: {}", ranks, row.name,
                                     cells ? "it printed too little" : cells.error()));
}

std::expected<std::string, std::string> measure_network(
    const Programs& programs, const std::vector<std::string>& hosts,
    const std::vector<std::pair<const char*, std::string>>& settings,
    const std::vector<std::string>& options, const std::vector<std::string>& words) {
  std::vector<std::string> environment = network_environment();
  for (const auto& [name, value] : settings) {
    const std::string begin = setting_variable(name) + "=";
    std::erase_if(environment, [&](const std::string& entry) { return entry.starts_with(begin); });
    environment.push_back(begin + value);
  }
  std::vector<std::string> all = {programs.mpiexec, "--profile", "none", "--timeout",
                                  std::to_string(job_seconds_max)};
  all.insert(all.end(), options.begin(), options.end());
  if (hosts.empty()) {
    environment.emplace_back("BATON_RANKS_PER_NODE=1");
    all.insert(all.end(), {"-n", "2"});
  } else {
    all.insert(all.end(), {"-host", hosts[0] + "," + hosts[1], "-ppn", "1", "-n", "2"});
  }
  all.push_back(programs.measure);
  all.insert(all.end(), words.begin(), words.end());
  auto end = run_job(std::move(all), std::move(environment), {}, launcher_seconds_max);
  if (!end) return std::unexpected(end.error());
  if (end->code == 0) return end->output;
  return std::unexpected(fmt::format("code {}: {}", end->code, cause_in(end->output)));
}

}  // namespace baton::cli::tune
