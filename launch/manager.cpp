#include "launch/manager.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>

#include "launch/options/environment.hpp"
#include "launch/reports/job_reports.hpp"
#include "launch/reports/missing_rank.hpp"
#include "launch/reports/report.hpp"
#include "launch/reports/whereabouts.hpp"
#include "launch/run/descendants.hpp"
#include "launch/run/ending.hpp"
#include "launch/run/family.hpp"
#include "launch/run/input.hpp"
#include "launch/run/job_control.hpp"
#include "launch/run/job_environment.hpp"
#include "launch/run/memory_kill.hpp"
#include "launch/run/outlet.hpp"
#include "launch/run/output.hpp"
#include "launch/run/signals.hpp"
#include "launch/run/threads.hpp"

namespace baton::launch {

namespace {

using Clock = std::chrono::steady_clock;
using lockfree::Phase;

constexpr auto grace = std::chrono::milliseconds(300);             // guess: time to end on SIGTERM
constexpr auto missing_check = std::chrono::milliseconds(200);     // guess: see find_missing_rank
constexpr auto report_look_again = std::chrono::milliseconds(20);  // guess: see stops_waiting
constexpr auto hang_check =
    std::chrono::milliseconds(500);     // guess: how often --hang-after and --check look
constexpr int cannot_start_code = 127;  // as a shell has it

struct Rank {
  pid_t pid = 0;  // 0: not started
  bool running = false;
  int code = -1;  // its exit code
};

std::string exit_codes_text(const std::vector<Rank>& ranks) {
  std::string text = "exit codes by rank:";
  for (const Rank& rank : ranks)
    text += (&rank == ranks.data() ? " " : ",") + (rank.code < 0 ? "-" : std::to_string(rank.code));
  return text;
}

class Manager {
 public:
  Manager(const Job& job, const Connection& connection, const Inherited& inherited)
      : job_(job),
        connection_(connection),
        inherited_(inherited),
        reports_(job, family_),
        output_(job.options.output, static_cast<int>(job.file.made.world.processes)) {}

  int run();

 private:
  bool prepare();
  bool start_all();
  void name_ranks();
  void listen_to_guard(short events);
  bool start_program(std::size_t place, int ranks, int& rank);
  std::expected<void, std::string> start_one(RankStart& start, int rank);
  void wait_for_end();
  int poll_milliseconds() const;
  void take_signals();
  void take_end_signal(const signalfd_siginfo& info);
  void reap();
  void take(const Ended& ended);
  std::vector<pid_t> started() const;
  void find_missing_rank();
  void end(int code);
  bool stops_waiting();
  void end_by_clock();
  void tell_whereabouts(const std::string& why);
  void look_for_hang();
  bool over() const { return guard_died_ || (ending_ && (no_child_ || Clock::now() >= end_at_)); }

  const Job& job_;
  Connection connection_;
  const Inherited& inherited_;
  int signals_ = -1;
  int lifeline_read_ = -1;
  int lifeline_write_ = -1;
  int empty_input_ = -1;
  std::vector<Rank> ranks_;
  JobReports reports_;
  Output output_;
  Input input_;
  MemoryKillWatch memory_kills_;
  Family family_;
  int running_ = 0;
  int code_ = 0;
  bool ending_ = false;
  bool guard_died_ = false;
  const pid_t guard_process_ = ::getppid();
  bool no_child_ = false;
  bool told_to_end_ = false;             // by a signal or the clock: nobody is waited for any more
  std::vector<int> ended_without_init_;  // ranks for which others may wait, not told so far
  int ended_quietly_ = -1;  // the rank with a harmless code that had begun MPI least often
  std::optional<IdleWatch> idle_watch_;
  std::optional<CycleWatch> cycle_watch_;
  Clock::time_point next_look_;  // time of the next look for a hang
  Clock::time_point end_at_;
  Clock::time_point timeout_at_ = Clock::time_point::max();
};

bool Manager::prepare() {
  const sigset_t set = heeded_signals();
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  int lifeline[2];
  empty_input_ = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (signals_ < 0 || empty_input_ < 0 || ::pipe2(lifeline, O_CLOEXEC) != 0) {
    complain(fmt::format("cannot prepare the job: {}", std::strerror(errno)));
    return false;
  }
  if (!family_.open()) complain("jobs that ranks spawn will not be waited for: no pipe for them");
  if (!reports_.open()) return false;
  lifeline_read_ = lifeline[0];
  lifeline_write_ = lifeline[1];
  ::fcntl(lifeline_read_, F_SETFD, 0);  // ranks inherit this end
  rlimit open_files = inherited_.open_files;
  open_files.rlim_cur = open_files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &open_files);
  return true;
}

std::expected<void, std::string> Manager::start_one(RankStart& start, int rank) {
  const auto& planned = job_.placement.ranks[static_cast<std::size_t>(rank)];
  start.cpus = job_.placement.limited ? planned.cpus : std::vector<int>{};
  start.memory = process_binding(job_.memory, rank);
  const int number = job_.placement.first_rank + rank;
  tell_rank(number, planned, start.environment);
  if (job_.options.node_job.spans_nodes()) {
    set_variable(start.environment, "BATON_FIRST_RANK", std::to_string(job_.placement.first_rank));
    leave_launcher(rank == 0, start.environment);
  }
  const bool for_all = job_.options.input == every_rank;
  auto input = for_all ? input_.open() : job_.options.input == number ? -1 : empty_input_;
  if (!input) return std::unexpected(input.error());
  start.standard_input = *input;
  auto ends = output_.open(number);
  if (!ends) return std::unexpected(ends.error());
  start.standard_output = ends->standard_output;
  start.standard_error = ends->standard_error;
  // A rank that reads a terminal has to be in its session, so it gets none of its own.
  start.own_session = *input >= 0 || ::isatty(STDIN_FILENO) == 0;
  auto pid = start_rank(start, inherited_);
  Output::started(*ends);
  if (for_all) ::close(*input);
  if (!pid) return std::unexpected(pid.error());
  ranks_[static_cast<std::size_t>(rank)] = {*pid, true};
  if (start.own_session) set_session(static_cast<std::size_t>(rank), *pid);
  ++running_;
  return {};
}

bool Manager::start_program(std::size_t place, int ranks, int& rank) {
  const Program& program = job_.options.programs[place];
  RankStart start;
  start.arguments = program.arguments;
  start.folder = program.folder;
  start.environment = job_environment(job_, place, {lifeline_read_, family_.end_for_ranks()});
  const ThreadPlan threads{job_.options, job_.machine, job_.placement};
  for (int i = 0; i < ranks; ++i, ++rank) {
    set_thread_variables(threads, program, rank, start.environment);
    if (auto started = start_one(start, rank); !started) {
      complain(fmt::format("rank {}: {}", job_.placement.first_rank + rank, started.error()));
      return false;
    }
  }
  return true;
}

bool Manager::start_all() {
  ranks_.resize(job_.placement.ranks.size());
  follow_stops();
  int rank = 0;
  for (std::size_t place = 0; place < job_.options.programs.size(); ++place) {
    const int asked = job_.options.programs[place].ranks;
    if (!start_program(place, asked ? asked : static_cast<int>(ranks_.size()), rank)) return false;
  }
  return true;
}

// Names the ranks to the process above (if it lives), which shows them to debuggers.
void Manager::name_ranks() {
  const std::vector<pid_t> processes = started();
  const char* bytes = reinterpret_cast<const char*>(processes.data());
  std::size_t left = processes.size() * sizeof(pid_t);
  while (left > 0) {
    ssize_t written = ::write(connection_.ranks, bytes, left);
    if (written < 0 && errno != EINTR) return;
    if (written < 0) continue;
    bytes += written;
    left -= static_cast<std::size_t>(written);
  }
}

void Manager::listen_to_guard(short events) {
  char byte = 0;
  if ((events & POLLIN) && ::read(connection_.guard, &byte, 1) == 1) {
    // ORDER job.held: release here, acquire in the library; a debugger has attached.
    std::atomic_ref(job_.file.header->held).store(0, std::memory_order_release);
    return;
  }
  if (events == 0 || guard_died_) return;
  guard_died_ = true;
  end_at_ = Clock::now() + grace;  // for output that is on its way
}

// Ends the job politely; the main loop kills after the grace. The first reason's code stays.
void Manager::end(int code) {
  if (ending_) return;
  ending_ = true;
  code_ = code_ ? code_ : code;
  end_at_ = Clock::now() + grace;
  const std::vector<pid_t> ranks = started();
  signal_descendants(SIGTERM, ranks);
  signal_descendants(SIGCONT, ranks);  // a stopped process could not obey
}

std::vector<pid_t> Manager::started() const {
  std::vector<pid_t> processes;
  for (const Rank& rank : ranks_) processes.push_back(rank.pid);
  return processes;
}

void Manager::take(const Ended& ended) {
  const Verdict verdict = judge(ended);
  if (verdict.without_init) ended_without_init_.push_back(ended.rank);
  if (verdict.harmless &&
      (ended_quietly_ < 0 || session_count(job_, ended.rank) < session_count(job_, ended_quietly_)))
    ended_quietly_ = ended.rank;
  if (verdict.text.empty() || ending_ || (verdict.harmless && code_ != 0)) return;
  const pid_t pid = ranks_[static_cast<std::size_t>(ended.rank)].pid;
  const std::string why = verdict.code == 128 + SIGKILL ? memory_kills_.reason(pid) : "";
  output_.catch_up();
  const auto left = [](const Rank& one) { return one.running || one.code == 0; };
  const bool goes_on = job_.options.continues && verdict.died &&
                       (!job_.options.on_node.empty() || std::ranges::any_of(ranks_, left));
  complain(rank_text(ended.rank, job_.placement) + ": " + verdict.text +
           (why.empty() ? "" : ": " + why) + (goes_on ? "; the others go on" : ""));
  if (goes_on) return job_.file.tell_death(ended.rank);
  code_ = code_ ? code_ : verdict.code;
  if (!verdict.harmless) end(verdict.code);
}

// Ends the job where a rank that ended leaves others waiting for ever. A job that goes on without
// ranks can do so without those that never called MPI_Init.
void Manager::find_missing_rank() {
  if (ending_ || running_ == 0 || running_ == static_cast<int>(ranks_.size())) return;
  std::vector<bool> running;
  for (const Rank& rank : ranks_) running.push_back(rank.running);
  std::string words = missing_program(job_, running);
  if (words.empty()) words = missing_session(job_, running, ended_quietly_);
  bool goes_on = false;
  if (words.empty() && !ended_without_init_.empty()) {
    words = missing_init(job_, running, ended_without_init_.back());
    goes_on = job_.options.continues;
  }
  if (words.empty()) return;
  complain(words + (goes_on ? "; the others go on" : ""));
  if (!goes_on) return end(1);
  job_.file.tell_death(ended_without_init_.back());
  ended_without_init_.pop_back();
}

void Manager::reap() {
  std::vector<Ended> batch;
  int status = 0;
  pid_t pid = 0;
  while ((pid = ::waitpid(-1, &status, WNOHANG)) > 0) {
    if (family_.take(pid, status)) continue;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].running && ranks_[rank].pid == pid) {
        ranks_[rank].running = false;
        set_session(rank, 0);
        ranks_[rank].code = ending_code(status);
        --running_;
        const auto& state = job_.file.row(static_cast<int>(rank)).state;
        // ORDER rank.phase: acquire here, release in the library; codes and counters are written.
        Phase phase = state.phase.load(std::memory_order_acquire);
        // relaxed, both: the writer is dead.
        batch.push_back({static_cast<int>(rank), status, phase,
                         state.abort_code.load(std::memory_order_relaxed),
                         state.abort_cause.load(std::memory_order_relaxed)});
        break;
      }
  }
  no_child_ = pid < 0 && errno == ECHILD;
  std::ranges::stable_sort(batch, std::greater{}, severity);
  for (const Ended& ended : batch) take(ended);
  // Spawned ranks that die are as little needed as others.
  const int code = code_ || job_.options.continues ? code_ : family_.code();
  if (running_ == 0 && !family_.is_running()) end(code);
}

void Manager::take_signals() {
  signalfd_siginfo info;
  bool child_ended = false;
  // A Ctrl-C reaches the ranks too: it is the reason and their deaths are not, so signals are
  // looked at first.
  while (::read(signals_, &info, sizeof info) == sizeof info) {
    int signal = static_cast<int>(info.ssi_signo);
    if (signal == SIGCHLD) {
      child_ended = true;
    } else if (signal == SIGUSR1 || signal == SIGUSR2) {
      for (const Rank& rank : ranks_)
        if (rank.running) ::kill(rank.pid, signal);
    } else {
      if (signal == SIGQUIT && !ending_) tell_whereabouts("SIGQUIT asks");
      // mpiexec's process group has got the signal, but the ranks' sessions are not in that group.
      if (static_cast<pid_t>(info.ssi_pid) != guard_process_) signal_sessions(signal);
      if (ends_the_job(signal, info.ssi_code)) take_end_signal(info);
    }
  }
  if (child_ended) reap();
}

// A second signal asks for the end at once, unless a terminal sent both to its whole group.
void Manager::take_end_signal(const signalfd_siginfo& info) {
  const int signal = static_cast<int>(info.ssi_signo);
  if (ending_) {
    if (info.ssi_code != SI_KERNEL) end_at_ = std::min(end_at_, Clock::now());
    return;
  }
  told_to_end_ = true;
  // A launcher ends the processes of all nodes for a failure that another node has reported.
  if (!job_.options.node_job.spans_nodes())
    complain(fmt::format("{} (signal {}): ending the job",
                         signal == SIGINT   ? "interrupted"
                         : signal == SIGHUP ? "the terminal is gone"
                                            : "told to end",
                         signal));
  end(128 + signal);
}

int Manager::poll_milliseconds() const {
  using std::chrono::milliseconds;
  Clock::time_point next = ending_        ? end_at_
                           : is_stopped() ? Clock::time_point::max()
                                          : timeout_at_;
  auto now = Clock::now();
  milliseconds wait(-1);
  if (next != Clock::time_point::max())
    wait = std::max(milliseconds(0), std::chrono::ceil<milliseconds>(next - now));
  const bool missing = running_ < static_cast<int>(ranks_.size());
  if (missing && (wait.count() < 0 || wait > missing_check)) wait = missing_check;
  if ((idle_watch_ || cycle_watch_) && (wait.count() < 0 || wait > hang_check)) wait = hang_check;
  return static_cast<int>(std::min<std::int64_t>(wait.count(), 1 << 30));
}

void Manager::wait_for_end() {
  std::vector<pollfd> polled;
  while (!over()) {
    polled.clear();
    polled.push_back({signals_, POLLIN, 0});
    polled.push_back({connection_.guard, POLLIN, 0});
    family_.add_to(polled);
    output_.add_to(polled);
    if (!is_stopped()) input_.add_to(polled);
    if (::poll(polled.data(), polled.size(), poll_milliseconds()) < 0 && errno != EINTR) {
      complain(fmt::format("cannot watch the job: {}", std::strerror(errno)));
      end(1);
      return;
    }
    listen_to_guard(polled[1].revents);
    if (polled[0].revents) take_signals();
    if (polled[2].revents) family_.listen();
    if (!output_.forward(polled, 3)) end(128 + SIGPIPE);
    input_.forward(polled);
    find_missing_rank();
    look_for_hang();
    if (!ending_ && !is_stopped() && Clock::now() >= timeout_at_) {
      tell_whereabouts(fmt::format("the job ran longer than {} s (--timeout): ending it",
                                   job_.options.timeout_seconds));
      end_by_clock();
    }
  }
}

// Returns whether to give up a reader of the output: whatever ends a job ends this wait, too.
bool Manager::stops_waiting() {
  pollfd guard{connection_.guard, POLLIN, 0};
  if (::poll(&guard, 1, 0) > 0) listen_to_guard(guard.revents);
  signalfd_siginfo info;
  while (::read(signals_, &info, sizeof info) == sizeof info)
    if (ends_the_job(static_cast<int>(info.ssi_signo), info.ssi_code)) {
      told_to_end_ = true;
      code_ = code_ ? code_ : 128 + static_cast<int>(info.ssi_signo);
    }
  if (!told_to_end_ && Clock::now() >= timeout_at_) {
    told_to_end_ = true;
    code_ = code_ ? code_ : timeout_code;
  }
  return (guard_died_ || told_to_end_) && Clock::now() >= end_at_;
}

void Manager::end_by_clock() {
  told_to_end_ = true;
  end(timeout_code);
}

void Manager::tell_whereabouts(const std::string& why) {
  std::string text = whereabouts(job_.file, started(), why);
  text.pop_back();  // takes away the last newline
  complain(text);
}

void Manager::look_for_hang() {
  if ((!idle_watch_ && !cycle_watch_) || ending_ || is_stopped() || Clock::now() < next_look_)
    return;
  next_look_ = Clock::now() + hang_check;
  const std::chrono::duration<double> now = Clock::now().time_since_epoch();
  if (idle_watch_ && idle_watch_->stands_still(job_.file, started(), now.count())) {
    tell_whereabouts(fmt::format("nothing has moved for {} s (--hang-after){}",
                                 job_.options.hang_after_seconds,
                                 job_.options.hang_ends ? ": ending the job" : ""));
    if (job_.options.hang_ends) end_by_clock();
  }
  if (cycle_watch_ && cycle_watch_->has_found(job_.file, started(), now.count()))
    tell_whereabouts(fmt::format("ranks have waited only for each other for {} s (--check)",
                                 CycleWatch::seconds));
}

int Manager::run() {
  if (!prepare()) {
    Outlet::of(STDERR_FILENO).finish(grace);
    return 1;
  }
  if (job_.options.timeout_seconds > 0)
    timeout_at_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                     std::chrono::duration<double>(job_.options.timeout_seconds));
  if (job_.options.hang_after_seconds > 0) idle_watch_.emplace(job_.options.hang_after_seconds);
  if (job_.options.check) cycle_watch_.emplace();
  if (start_all())
    name_ranks();
  else
    end(cannot_start_code);
  ::close(connection_.ranks);
  wait_for_end();
  if (std::string left = kill_descendants(started()); !left.empty()) complain(left);
  forget_sessions();
  output_.drain([this] { return stops_waiting(); });
  if (!guard_died_ && !reports_.write([this] { return stops_waiting(); }))
    code_ = code_ ? code_ : 1;
  if (job_.options.all_exit_codes) complain(exit_codes_text(ranks_));
  if (const std::string lost = output_.lost(); !lost.empty()) {
    complain(lost);
    code_ = code_ ? code_ : 1;
  }
  Outlet& reports = Outlet::of(STDERR_FILENO);
  while (!reports.finish(report_look_again))
    if (stops_waiting()) break;
  return guard_died_ ? 128 + SIGKILL : code_;
}

}  // namespace

int manage(const Job& job, const Connection& connection, const Inherited& inherited) {
  become_subreaper();
  return Manager(job, connection, inherited).run();
}

}  // namespace baton::launch
