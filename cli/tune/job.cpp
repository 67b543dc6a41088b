#include "cli/tune/job.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sstream>

extern char** environ;

namespace baton::cli::tune {

namespace {

constexpr const char* job_seconds_max = "60";  // guess: one lasts a second or two

std::atomic<int> signal_seen{0};
std::atomic<pid_t> running{0};

void remember(int signal) {
  // relaxed: a handler in the only thread there is.
  signal_seen.store(signal, std::memory_order_relaxed);
  pid_t job = running.load(std::memory_order_relaxed);
  if (job > 0) ::kill(job, SIGTERM);
}

std::string beside(const std::string& file, const std::string& relative) {
  return file.substr(0, file.rfind('/') + 1) + relative;
}

std::string setting_variable(const char* name) {
  std::string text = "BATON_";
  for (; *name; ++name) text += static_cast<char>(std::toupper(static_cast<unsigned char>(*name)));
  return text;
}

// The user's environment without settings.
std::vector<std::string> plain_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry)
    if (std::strncmp(*entry, "BATON_", 6) != 0 && std::strncmp(*entry, "OMP_NUM_THREADS=", 16) != 0)
      all.emplace_back(*entry);
  return all;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// The job's ranks and its launcher see these two CPUs only, so that they are not crowded and each
// has one of its own.
void keep_to(const profile::Pair& pair) {
  int highest = std::max(pair.cpus[0], pair.cpus[1]);
  cpu_set_t* set = CPU_ALLOC(highest + 1);
  std::size_t bytes = CPU_ALLOC_SIZE(highest + 1);
  if (!set) return;
  CPU_ZERO_S(bytes, set);
  for (int cpu : pair.cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  (void)::sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

// All that comes through the pipe until its end.
std::string read_all(int pipe_end) {
  std::string text;
  char part[4096];
  while (true) {
    ssize_t got = ::read(pipe_end, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

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

std::vector<std::string> job_words(const Programs& programs, std::vector<std::string> options,
                                   int milliseconds, const char* pattern,
                                   const std::vector<std::int64_t>& sizes) {
  std::vector<std::string> words = {programs.mpiexec, "--profile", "none", "--timeout",
                                    job_seconds_max};
  words.insert(words.end(), options.begin(), options.end());
  for (const std::string& word : {programs.measure, std::to_string(milliseconds)})
    words.push_back(word);
  words.emplace_back(pattern);
  for (std::int64_t bytes : sizes) words.push_back(std::to_string(bytes));
  return words;
}

// Runs mpiexec, on two CPUs if `pair` names them, to its end.
std::expected<std::vector<Measured>, std::string> run(std::vector<std::string>& words,
                                                      std::vector<std::string>& environment,
                                                      const profile::Pair* pair) {
  std::vector<char*> word_pointers = pointers(words), variables = pointers(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(std::strerror(errno));
  pid_t parent = ::getpid();
  pid_t job = ::fork();
  if (job == 0) {
    ::setpgid(0, 0);  // a terminal's Ctrl-C reaches it through us
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    if (pair) keep_to(*pair);
    ::execve(words.front().c_str(), word_pointers.data(), variables.data());
    ::_exit(127);
  }
  ::close(ends[1]);
  if (job < 0) {
    ::close(ends[0]);
    return std::unexpected(std::string("cannot start it: ") + std::strerror(errno));
  }
  // relaxed: see remember.
  running.store(job, std::memory_order_relaxed);
  if (interrupted()) ::kill(job, SIGTERM);  // it came before we had something to end
  std::string text = read_all(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(job, &status, 0) < 0 && errno == EINTR) continue;
  // relaxed: see remember.
  running.store(0, std::memory_order_relaxed);
  if (interrupted()) return std::unexpected("interrupted");
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return cells_in(text);
  return std::unexpected(fmt::format("code {}: {}",
                                     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + SIGKILL,
                                     text.empty() ? "it printed nothing" : text));
}

}  // namespace

std::expected<Programs, std::string> find_programs() {
  char self[PATH_MAX] = {};
  if (::readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return std::unexpected(std::string("cannot find myself in /proc: ") + std::strerror(errno));
  Programs programs{beside(self, "mpiexec"), beside(self, BATON_MEASURE_FROM_BIN "/baton-measure")};
  for (const std::string& program : {programs.mpiexec, programs.measure})
    if (::access(program.c_str(), X_OK) != 0)
      return std::unexpected(program + ": " + std::strerror(errno) +
                             "; it belongs to an installed Baton (cmake --install)");
  return programs;
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

void watch_signals() {
  struct sigaction action {};
  action.sa_handler = remember;
  for (int signal : {SIGINT, SIGTERM}) ::sigaction(signal, &action, nullptr);
}

bool interrupted() {
  // relaxed: see remember.
  return signal_seen.load(std::memory_order_relaxed) != 0;
}

}  // namespace baton::cli::tune
