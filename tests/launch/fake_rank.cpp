// A rank without MPI: plays the part the library plays towards the launcher, so that mpiexec can be
// tested alone. Each argument is an action, carried out in order; the last of all is exit 0.
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "lockfree/job.hpp"

using baton::lockfree::JobHeader;
using baton::lockfree::Phase;

namespace {

const char* required(const char* name) {
  const char* value = std::getenv(name);
  if (value) return value;
  std::fprintf(stderr, "fake_rank: %s is not set\n", name);
  std::exit(99);
}

int rank() {
  return std::atoi(required("BATON_RANK"));
}

JobHeader* job() {
  int file = std::atoi(required("BATON_JOB_FD"));
  struct stat status {};
  if (::fstat(file, &status) != 0) std::exit(98);
  void* memory = ::mmap(nullptr, static_cast<std::size_t>(status.st_size), PROT_READ | PROT_WRITE,
                        MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) std::exit(97);
  auto* header = static_cast<JobHeader*>(memory);
  const char* problem = baton::lockfree::job_header_problem(*header);
  if (!problem) return header;
  std::fprintf(stderr, "fake_rank: %s\n", problem);
  std::exit(96);
}

using baton::lockfree::AbortCause;

void set_phase(Phase phase, int abort_code, AbortCause cause = AbortCause::none) {
  auto& state = baton::lockfree::rank_row(job(), static_cast<std::uint32_t>(rank()))->state;
  state.abort_code.store(abort_code, std::memory_order_relaxed);
  state.abort_cause.store(cause, std::memory_order_relaxed);
  state.phase.store(phase, std::memory_order_release);
}

void print_place() {
  auto* header = job();
  auto& place =
      baton::lockfree::rank_row(header, static_cast<std::uint32_t>(rank()))->launcher.place;
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  std::printf("rank %d of %u cpu %d count %d allowed %d\n", rank(), header->ranks, place.cpu,
              place.cpu_count, CPU_COUNT(&set));
}

// A stray store over all that the launcher shares with ranks.
void scribble(int byte) {
  JobHeader* header = job();
  std::memset(static_cast<void*>(header), byte, header->slices_offset);
}

// Only the rows of the status board.
void scribble_rows(int byte) {
  JobHeader* header = job();
  std::memset(static_cast<void*>(baton::lockfree::rank_row(header, 0)), byte,
              header->memory_offset - header->rows_offset);
}

void use_memory(std::size_t bytes) {
  auto* memory = static_cast<volatile char*>(std::malloc(bytes));
  for (std::size_t at = 0; memory && at < bytes; at += 4096) memory[at] = 1;
}

// A child in a session of its own, which no process group reaches.
void start_daemon(const char* token) {
  if (::fork() != 0) return;
  ::setsid();
  if (::fork() != 0) ::_exit(0);
  std::signal(SIGTERM, SIG_IGN);
  ::execl("/proc/self/exe", "fake_rank", "sleep", "1000", token, static_cast<char*>(nullptr));
  ::_exit(1);
}

void wait_for_lifeline() {
  int end = std::atoi(required("BATON_LIFELINE_FD"));
  char byte;
  if (::read(end, &byte, 1) == 0) ::_exit(0);
}

void write_to(int stream, const std::string& text) {
  if (::write(stream, text.data(), text.size()) < 0) std::exit(95);
}

bool act(const std::string& action, const char* value) {
  if (action == "sleep")
    ::usleep(static_cast<useconds_t>(std::atof(value) * 1e6));
  else if (action == "exit")
    std::exit(std::atoi(value));
  else if (action == "signal")
    ::raise(std::atoi(value));
  else if (action == "ignore")
    std::signal(std::atoi(value), SIG_IGN);
  else if (action == "init")
    set_phase(Phase::initialized, 0);
  else if (action == "finalize")
    set_phase(Phase::finalized, 0);
  else if (action == "abort" || action == "abort_after_error") {
    set_phase(Phase::aborted, std::atoi(value),
              action == "abort" ? AbortCause::program : AbortCause::error);
    ::_exit(std::atoi(value));
  } else if (action == "place")
    print_place();
  else if (action == "daemon")
    start_daemon(value);
  else if (action == "memory")
    use_memory(static_cast<std::size_t>(std::atoi(value)) << 20);
  else if (action == "scribble")
    scribble(std::atoi(value));
  else if (action == "scribble_rows")
    scribble_rows(std::atoi(value));
  else if (action == "rows_offset")
    job()->rows_offset = std::strtoull(value, nullptr, 10);
  else if (action == "user") {
    if (::setuid(static_cast<uid_t>(std::atoi(value))) != 0) std::exit(93);
  } else if (action == "lifeline")
    wait_for_lifeline();
  else if (action == "out")
    write_to(1, value);
  else if (action == "err")
    write_to(2, value);
  else if (action == "line")
    write_to(1, std::string(value) + "\n");
  else if (action == "variable")
    std::printf("%s\n", std::getenv(value) ? std::getenv(value) : "unset");
  else if (action == "fd")
    write_to(std::atoi(value), "x");
  else
    return false;
  std::fflush(stdout);
  return true;
}

}  // namespace

// Arguments: [only=R] ACTION VALUE ..., where only=R makes other ranks skip the next action.
int main(int count, char** words) {
  for (int i = 1; i < count; ++i) {
    bool mine = true;
    if (std::strncmp(words[i], "only=", 5) == 0) mine = std::atoi(words[i++] + 5) == rank();
    const char* value = i + 1 < count ? words[i + 1] : "";
    if (mine && !act(words[i], value)) return 94;
    ++i;
  }
  return 0;
}
