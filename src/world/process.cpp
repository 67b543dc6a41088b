#include "world/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/environment.hpp"
#include "base/report.hpp"
#include "base/selection.hpp"
#include "base/settings.hpp"
#include "datatype/operation.hpp"
#include "message/core/account.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress_thread.hpp"
#include "message/core/protocol.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "message/meet.hpp"
#include "message/start.hpp"
#include "platform/crash.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/device/device_reduce.hpp"
#include "platform/device/host_registrations.hpp"
#include "platform/device/kernel_spaces.hpp"
#include "platform/fork.hpp"
#include "platform/host_identity.hpp"
#include "platform/lifeline.hpp"
#include "platform/memory_file.hpp"
#include "platform/memory_kind.hpp"
#include "platform/output_reader.hpp"
#include "platform/stream.hpp"
#include "transport/attached.hpp"
#include "transport/death.hpp"
#include "transport/memory_report.hpp"
#include "transport/move/device_copy.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "transport/program_heap.hpp"
#include "world/agree/agree.hpp"
#include "world/attribute.hpp"
#include "world/communicator.hpp"
#include "world/context_id.hpp"
#include "world/failure/agreement.hpp"
#include "world/failure/revocation.hpp"
#include "world/foreign_launcher.hpp"
#include "world/info.hpp"
#include "world/leak_report.hpp"
#include "world/library_state.hpp"
#include "world/network/join.hpp"
#include "world/network/join_nodes.hpp"
#include "world/session.hpp"

namespace baton::world {

namespace {

// The library as the world model and sessions use it in this process. Memory and objects stay when
// its last user has gone, since a session may begin at any time.
class Library {
 public:
  Error begin_use(int required, int* provided);
  void end_use();
  int highest_level() {
    std::lock_guard guard(lock_);
    return highest_level_;
  }
  Error meet_at_the_end();
  [[noreturn]] void end_job(int code, lockfree::AbortCause cause);

 private:
  Error attach();
  Error make();
  Error begin_use_alone(int required);
  void wait_for_messages_to_leave();
  void leave_manager();

  // This is the process manager of another launcher that has started this rank; null: there is
  // none, or it has been told that we end.
  ProcessManager* manager_ = nullptr;
  bool is_made_ = false;
  bool program_has_threads_ = false;
  bool others_may_be_gone_ = false;  // a peer was lost before all had met at the end
  int users_ = 0;
  int highest_level_ = MPI_THREAD_SINGLE;
  platform::Lock lock_;  // always taken: sessions may begin in several threads at once
  // This is never freed: the last messages of the meeting may be under way after this rank ends, as
  // ranks that know of a lost peer do not come.
  Dissemination* meeting_ = nullptr;
};
constinit Library library;

// Waits while mpiexec runs under a debugger, which wants to attach before the program goes on.
void wait_for_debugger() {
  // ORDER job.held: acquire here, release in mpiexec; a debugger has attached.
  while (std::atomic_ref(transport::job().held).load(std::memory_order_acquire)) usleep(1000);
}

void set_phase(lockfree::Phase phase) {
  // ORDER rank.phase: release here, acquire in mpiexec; counters and codes are written.
  transport::status_row(transport::own_rank()).state.phase.store(phase, std::memory_order_release);
}

void publish_counters() {
  const LocalRank rank = transport::own_rank();
  for (const CounterRow& row : counter_rows())  // other threads may be counting
    transport::status_row(rank).counters.*row.field =
        platform::load_shared(message::engine.counters.*row.field);
  if (transport::job().explain) message::sum_up(transport::Slot(rank).record());
  if (transport::job().memory_report) transport::publish_memory();
}

void Library::end_job(int code, lockfree::AbortCause cause) {
  std::fflush(nullptr);
  if (transport::is_attached()) {
    auto& state = transport::status_row(transport::own_rank()).state;
    publish_counters();
    // relaxed, both: they are ordered by the phase.
    state.abort_code.store(code, std::memory_order_relaxed);
    state.abort_cause.store(cause, std::memory_order_relaxed);
    set_phase(lockfree::Phase::aborted);
  }
  // If this rank runs below an mpiexec, that mpiexec tells the launcher.
  if (manager_ && !is_handed_connection()) {
    // The launcher drops our last output if it ends the job before it has read and passed it on.
    constexpr std::int64_t reading_ms_max = 2000;  // guess: for a launcher that hardly gets a CPU
    const std::int64_t deadline = platform::now_ms() + reading_ms_max;
    for (int output : {1, 2}) platform::wait_until_read(output, deadline);
    constexpr useconds_t passing_on_us = 50'000;  // guess
    usleep(passing_on_us);
    manager_->abort(code, cause == lockfree::AbortCause::program ? "MPI_Abort" : "an error");
  }
  _exit(code & 0xff ? code & 0xff : 1);
}

void end_after_error(int code) {
  library.end_job(code, lockfree::AbortCause::error);
}

// Called by a thread of the launcher's library, in each rank of the node.
void hear_of_end(int rank, ProcessManager::End end) {
  // The launcher does not end jobs whose ranks may go on without others: each ends itself.
  if (end == ProcessManager::End::abort) _exit(1);
  transport::write_death(static_cast<Process>(rank));
  // Whoever wrote it first, this rank has to look.
  transport::wake_own_sleeper();
}

Error Library::attach() {
  const char* job = environment_variable("BATON_JOB_FD");
  const char* rank = environment_variable("BATON_RANK");
  if (Error error = connect_process_manager(&manager_)) return error;
  const bool of_mpiexec = is_handed_connection();
  if (manager_ && !of_mpiexec) {
    // The others may be waiting for us, in their own MPI_Init.
    error_handling.abort_job = end_after_error;
    if (settings.continue_on_failure) manager_->survive_ends();  // others may die once all have met
    if (Error error = join(*manager_)) return error;
    if (transport::job().continues) manager_->hear_of_ends(hear_of_end);
    return MPI_SUCCESS;
  }
  if (!manager_)
    if (Error error = refuse_foreign_launcher()) return error;
  if (!job || !rank) return transport::attach_alone(1);
  const char* lifeline = environment_variable("BATON_LIFELINE_FD");
  if (lifeline && !platform::die_with_pipe(std::atoi(lifeline)))
    report("this rank will not notice when mpiexec is killed (/proc is not mounted?)");
  if (Error error = transport::attach(std::atoi(job), local_rank_of_variables())) return error;
  wait_for_debugger();
  if (transport::process_count() == transport::rank_count()) return MPI_SUCCESS;
  error_handling.abort_job = end_after_error;
  return join_nodes(manager_);
}

[[noreturn]] void end_after_lost_message() {
  report("%s", last_explanation().text);
  library.end_job(MPI_ERR_OTHER, lockfree::AbortCause::error);
}

// Runs in a child of this process, because only the parent is the rank. Exit handlers there (those
// of interpreters call MPI_Finalize) find a library that has been finalized, and no access to the
// job is left.
void leave_the_rank_to_the_parent() {
  library_state.phase = LibraryState::Phase::finalized;
  set_world_phase(LibraryState::Phase::finalized);
  library_state.forked = true;
  error_handling.default_target = nullptr;
  message::forget_progress_thread();
  platform::forget_crashes();
  transport::forget_attachment();
}

// Makes what is made once per process.
Error Library::make() {
  read_settings_once();
  if (Error error = attach()) return error;
  leave_library_folder();  // while no thread of ours reads the environment
  transport::program_heap.export_it();
  read_selection(transport::own_rank() == LocalRank{0});
  if (!platform::call_in_children(leave_the_rank_to_the_parent))
    return fail(MPI_ERR_NO_MEM, "no memory to tell children of this process that they are no rank");
  transport::let_others_copy();
  message::end_after_lost_message = end_after_lost_message;
  message::communicator_view = view_of_communicators();
  hear_of_agreements();
  hear_of_revocations();
  if (Error error = message::start_messages()) return error;
  datatype::make_predefined_datatypes();
  datatype::make_predefined_operations();
  make_empty_group();
  message::make_completed_request();
  context_ids.reset();
  error_handling.abort_job = end_after_error;
  error_handling.rank = static_cast<int>(message::world_rank(message::engine.self));
  library_state.main_thread = pthread_self();
  return MPI_SUCCESS;
}

// Waits until all messages have left. Messages to lost peers never leave; then the wait is short.
void Library::wait_for_messages_to_leave() {
  constexpr std::int64_t patience_ms = 2000;  // guess: what can leave has left
  const std::int64_t end_ms = platform::now_ms() + patience_ms;
  message::wait_until([this, end_ms] {
    if (message::all_have_left()) return true;
    const bool may_be_gone = others_may_be_gone_ || message::has_met_over_network();
    return may_be_gone && platform::now_ms() >= end_ms;
  });
}

Error Library::begin_use_alone(int required) {
  // A user that asks for MPI_THREAD_MULTIPLE changes it for all: the others only pay for the locks.
  // No call is under way in another thread, since so far that was forbidden.
  if (required == MPI_THREAD_MULTIPLE) program_has_threads_ = true;
  if (program_has_threads_) platform::threads_multiple = handle_tables_are_shared = true;
  if (!is_made_) {
    read_settings_once();
    if (Error error = platform::memory_kinds.open()) return error;
    if (Error error = make()) return error;
    if (transport::job().devices) platform::memory_kinds.note_devices_of_others();
  }
  is_made_ = true;
  message::set_wait_budget(program_has_threads_);
  message::note_shortcuts();
  if (users_ > 0) {
    ++users_;
    return MPI_SUCCESS;
  }
  // The progress thread needs the locks, too, whatever level the program is granted.
  if (settings.progress_thread && transport::process_count() > 1) {
    platform::threads_multiple = handle_tables_are_shared = true;
    message::note_shortcuts();
    if (Error error = message::start_progress_thread()) return error;
  }
  message::expect_leaving(message::Leaving::any_time);
  users_ = 1;
  if (settings.crash_report && transport::job().launcher_pid)
    platform::tell_crashes(static_cast<int>(message::world_rank(message::engine.self)));
  library_state.phase = LibraryState::Phase::running;
  // relaxed: it is ordered by the phase.
  transport::status_row(transport::own_rank()).state.uses.fetch_add(1, std::memory_order_relaxed);
  set_phase(lockfree::Phase::initialized);
  return MPI_SUCCESS;
}

// Waits until all ranks are at the end: the messages that a rank has sent may still need its help.
Error Library::meet_at_the_end() {
  const Members all = all_of(communicators.find(MPI_COMM_WORLD)->collective, agreement_tag);
  if (!meeting_) meeting_ = new (std::nothrow) Dissemination{};
  if (!meeting_) return fail(MPI_ERR_NO_MEM, "no memory to meet the other ranks at the end");
  meeting_->words[0] = 0;
  message::expect_leaving(message::Leaving::has_begun);
  if (!message::has_lost_peers_of_own_job()) meeting_->start(all, 1);
  message::wait_until(
      [this] { return message::has_lost_peers_of_own_job() || meeting_->advance(); });
  message::expect_leaving(message::Leaving::is_over);
  others_may_be_gone_ = message::has_lost_peers_of_own_job();
  if (others_may_be_gone_) return MPI_SUCCESS;
  message::wait_until(message::all_have_left);
  return meeting_->error();
}

// Ends the connection to the launcher in an orderly way. A program that begins MPI once more does
// not need it again.
void Library::leave_manager() {
  if (!manager_) return;
  if (manager_->finalize() != MPI_SUCCESS) report("%s", last_explanation().text);
  delete manager_;
  manager_ = nullptr;
}

// Adds a user of the library, which starts with the first: it finds the launcher, maps the job's
// memory, and makes the predefined objects.
Error Library::begin_use(int required, int* provided) {
  if (library_state.forked)
    return fail(MPI_ERR_OTHER,
                "a child process of a rank cannot use MPI; let it run a program (exec), with "
                "mpiexec if it is an MPI program");
  std::lock_guard guard(lock_);
  *provided = required;
  if (Error error = begin_use_alone(required)) return error;
  highest_level_ = std::max(highest_level_, required);
  return MPI_SUCCESS;
}

// Removes a user. The last one completes what is still under way.
void Library::end_use() {
  std::lock_guard guard(lock_);
  if (--users_ > 0) return;
  // The world model has reported at its own end.
  if (world_phase() == LibraryState::Phase::before_init) report_leaks("MPI_Session_finalize");
  message::say_goodbye_to_all();
  message::expect_leaving(message::Leaving::is_over);
  wait_for_messages_to_leave();
  message::process_buffer.forget();
  message::stop_progress_thread();
  transport::device_copies.end();
  platform::host_registrations.end();
  platform::device_scratch.end();
  platform::kernel_spaces.end();
  platform::device_memory.end();
  platform::stop_telling_crashes();
  publish_counters();
  library_state.phase = LibraryState::Phase::finalized;
  set_phase(lockfree::Phase::finalized);
  leave_manager();
}

// Returns the number that mpiexec has told in a variable.
int number_of_variable(const char* name, int fallback) {
  const char* text = environment_variable(name);
  return text ? std::atoi(text) : fallback;
}

// Returns how many processes a program may usefully have: it may spawn those that are not there
// yet.
int universe_size() {
  cpu_set_t cpus;
  const int usable = platform::allowed_cpus(0, &cpus) ? CPU_COUNT(&cpus) : 1;
  const auto ranks = static_cast<int>(transport::process_count());
  return std::max(number_of_variable("BATON_UNIVERSE_SIZE", usable), ranks);
}

}  // namespace

int highest_thread_level() {
  return library.highest_level();
}

int process_count() {
  if (transport::is_attached()) return static_cast<int>(transport::process_count());
  const char* job = environment_variable("BATON_JOB_FD");
  if (!job) return 1;
  lockfree::JobHeader header;
  bool readable = platform::read_memory_file(std::atoi(job), &header, sizeof header) &&
                  header.magic == lockfree::job_magic;
  return readable ? static_cast<int>(header.world.processes) : 0;
}

Error start_world(int required, int* provided) {
  if (Error error = library.begin_use(required, provided)) return error;
  if (Error error = make_world_and_self()) return error;
  communicators.find(MPI_COMM_SELF)->errors.instead = &communicators.find(MPI_COMM_WORLD)->errors;
  error_handling.default_target = &communicators.find(MPI_COMM_SELF)->errors;
  set_predefined_attributes(universe_size(), number_of_variable("BATON_APPNUM", -1), true);
  library_state.thread_level = *provided;
  library_state.main_thread = pthread_self();
  if (Error error = make_environment_info(static_cast<int>(transport::process_count()),
                                          thread_level_name(*provided)))
    return error;
  message::expect_leaving(message::Leaving::together);
  // This comes last: other threads that see it may call MPI.
  set_world_phase(LibraryState::Phase::running);
  return MPI_SUCCESS;
}

Error end_world() {
  // The standard says that finalizing starts as if MPI_COMM_SELF were freed, callbacks included.
  Communicator& self = *communicators.find(MPI_COMM_SELF);
  if (Error error = delete_attributes(self.attributes, self.handle)) return error;
  report_leaks("MPI_Finalize");
  message::wait_until(message::all_have_left);
  if (transport::spans_nodes())
    if (Error error = library.meet_at_the_end()) return error;
  set_world_phase(LibraryState::Phase::finalized);
  error_handling.default_target = nullptr;
  free_world_and_self();
  library.end_use();
  return MPI_SUCCESS;
}

Error start_session(int thread_level, ErrorHandler& handler, Session** made) {
  auto* session = new (std::nothrow) Session;
  if (session) session->handle = sessions.add(session);
  if (!session || !session->handle) {
    delete session;
    return fail(MPI_ERR_NO_MEM, "no memory for a session");
  }
  if (Error error = library.begin_use(thread_level, &session->thread_level)) {
    sessions.remove(session->handle);
    delete session;
    return error;
  }
  session->errors.mpi_handle = session->handle;
  attach_error_handler(session->errors, &handler);
  *made = session;
  return MPI_SUCCESS;
}

Error end_session(Session& session) {
  // Buffered messages must leave before their buffer is gone.
  if (session.buffer.attached())
    if (Error error = session.buffer.flush()) return error;
  sessions.remove(session.handle);
  release(session);
  library.end_use();
  return MPI_SUCCESS;
}

void abort_process(int code) {
  library.end_job(code, lockfree::AbortCause::program);
}

}  // namespace baton::world
