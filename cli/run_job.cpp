#include "cli/run_job.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "platform/own_folder.hpp"

extern char** environ;

namespace baton::cli {

namespace {

constexpr std::size_t output_bytes_max = 1 << 20;  // only the end of longer output is kept

std::atomic<int> signal_seen{0};
std::atomic<pid_t> running{0};

void remember(int signal) {
  // relaxed: a handler in the only thread there is.
  signal_seen.store(signal, std::memory_order_relaxed);
  pid_t job = running.load(std::memory_order_relaxed);
  if (job > 0) ::kill(job, SIGTERM);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> result;
  for (std::string& text : texts) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

// Restricts the job's ranks and its launcher to these CPUs.
void keep_to(const std::vector<int>& cpus) {
  int highest = *std::ranges::max_element(cpus);
  cpu_set_t* set = CPU_ALLOC(highest + 1);
  std::size_t bytes = CPU_ALLOC_SIZE(highest + 1);
  if (!set) return;
  CPU_ZERO_S(bytes, set);
  for (int cpu : cpus) CPU_SET_S(static_cast<std::size_t>(cpu), bytes, set);
  (void)::sched_setaffinity(0, bytes, set);
  CPU_FREE(set);
}

constexpr int grace_seconds = 5;  // between a job's two signals

// Ends a job whose time is over: first by SIGTERM, then by killing its group.
class Limit {
 public:
  Limit(pid_t job, int seconds)
      : job_(job), ends_(seconds > 0), end_(Clock::now() + std::chrono::seconds(seconds)) {}
  // Waits for something to read; false: there is no time left.
  bool wait(int pipe_end) {
    using std::chrono::milliseconds;
    const auto left = std::chrono::ceil<milliseconds>(end_ - Clock::now());
    pollfd reader{pipe_end, POLLIN, 0};
    ::poll(&reader, 1, ends_ ? static_cast<int>(std::max(left, milliseconds(0)).count()) : -1);
    if (!ends_ || Clock::now() < end_) return true;
    if (signals_ == 2) return false;
    ::kill(signals_ == 0 ? job_ : -job_, signals_ == 0 ? SIGTERM : SIGKILL);
    ++signals_;
    end_ = Clock::now() + std::chrono::seconds(grace_seconds);
    return true;
  }
  bool is_over() const { return signals_ > 0; }

 private:
  using Clock = std::chrono::steady_clock;
  pid_t job_;
  bool ends_;
  Clock::time_point end_;
  int signals_ = 0;
};

// Reads all that comes through the pipe until its end.
std::string read_all(int pipe_end, Limit& limit) {
  std::string text;
  char part[4096];
  while (limit.wait(pipe_end)) {
    ssize_t got = ::read(pipe_end, part, sizeof part);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) break;
    text.append(part, static_cast<std::size_t>(got));
    if (text.size() > 2 * output_bytes_max) text.erase(0, text.size() - output_bytes_max);
  }
  return text;
}

}  // namespace

std::expected<JobEnd, std::string> run_job(std::vector<std::string> words,
                                           std::vector<std::string> environment,
                                           const std::vector<int>& cpus, int seconds_max) {
  std::vector<char*> word_pointers = pointers(words), variables = pointers(environment);
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return std::unexpected(std::strerror(errno));
  // The descriptor does not block, so that the time is watched while reading.
  ::fcntl(ends[0], F_SETFL, O_NONBLOCK);
  pid_t parent = ::getpid();
  pid_t job = ::fork();
  if (job == 0) {
    ::setpgid(0, 0);  // a terminal's Ctrl-C then reaches it only through us
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    ::dup2(::open("/dev/null", O_RDONLY | O_CLOEXEC), 0);
    ::dup2(ends[1], 1);
    ::dup2(ends[1], 2);
    if (!cpus.empty()) keep_to(cpus);
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
  if (interrupted()) ::kill(job, SIGTERM);  // the signal came before there was a job to end
  Limit limit(job, seconds_max);
  std::string text = read_all(ends[0], limit);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(job, &status, 0) < 0 && errno == EINTR) continue;
  // relaxed: see remember.
  running.store(0, std::memory_order_relaxed);
  if (interrupted()) return std::unexpected("interrupted");
  if (limit.is_over())
    return std::unexpected("it had not ended after " + std::to_string(seconds_max) + " s" +
                           (text.empty() ? "" : "; it said: " + text));
  return JobEnd{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text};
}

std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry; ++entry) all.emplace_back(*entry);
  return all;
}

std::expected<std::string, std::string> find_beside(const std::string& relative) {
  char folder[PATH_MAX];
  if (!platform::own_folder(folder))
    return std::unexpected(std::string("cannot find myself in /proc: ") + std::strerror(errno));
  std::string program = std::string(folder) + '/' + relative;
  if (::access(program.c_str(), X_OK) != 0)
    return std::unexpected(program + ": " + std::strerror(errno) +
                           "; it belongs to an installed Baton (cmake --install)");
  return program;
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

}  // namespace baton::cli
