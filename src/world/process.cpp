#include "world/process.hpp"

#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/settings.hpp"
#include "datatype/operation.hpp"
#include "message/engine.hpp"
#include "message/wait.hpp"
#include "platform/lifeline.hpp"
#include "transport/arena.hpp"
#include "transport/single_copy.hpp"
#include "world/attribute.hpp"
#include "world/communicator.hpp"
#include "world/info.hpp"
#include "world/library_state.hpp"
#include "world/room.hpp"

namespace baton::world {

namespace {

// Variables by which a launcher offers PMI-1, PMI-2 or PMIx to its processes. Batch systems' own
// (SLURM_PROCID and the like) are no such offer.
constexpr const char* foreign_variables[] = {"PMI_FD",    "PMI_PORT",        "PMI_RANK",
                                             "PMI2_RANK", "PMIX_RANK",       "PMIX_NAMESPACE",
                                             "PMI_SIZE",  "PMIX_SERVER_URI4"};

Error refuse_foreign_launcher() {
  for (const char* name : foreign_variables)
    if (environment_variable(name))
      return fail(MPI_ERR_OTHER,
                  "another launcher started this program (%s is set), and Baton cannot speak to it "
                  "yet: every rank would be rank 0 of 1. Start it with Baton's mpiexec",
                  name);
  return MPI_SUCCESS;
}

Error attach() {
  const char* job = environment_variable("BATON_JOB_FD");
  const char* rank = environment_variable("BATON_RANK");
  if (!job || !rank) {
    if (Error error = refuse_foreign_launcher()) return error;
    return transport::make_lone_arena(1);
  }
  const char* lifeline = environment_variable("BATON_LIFELINE_FD");
  if (lifeline && !platform::die_with_pipe(std::atoi(lifeline)))
    std::fprintf(stderr,
                 "baton: this rank will not notice when mpiexec is killed (/proc is not "
                 "mounted?)\n");
  return transport::attach_arena(std::atoi(job), static_cast<std::uint32_t>(std::atoi(rank)));
}

void set_phase(lockfree::Phase phase) {
  // ORDER rank.phase: release here, acquire in mpiexec; counters and codes are written.
  transport::arena.row(transport::arena.rank).state.phase.store(phase, std::memory_order_release);
}

void publish_counters() {
  transport::arena.row(transport::arena.rank).counters = message::engine.counters;
}

const char* thread_level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "MPI_THREAD_SINGLE";
    case MPI_THREAD_FUNNELED:
      return "MPI_THREAD_FUNNELED";
    case MPI_THREAD_SERIALIZED:
      return "MPI_THREAD_SERIALIZED";
    default:
      return "MPI_THREAD_MULTIPLE";
  }
}

Error make_objects() {
  datatype::make_predefined_datatypes();
  datatype::make_predefined_operations();
  make_empty_group();
  message::make_completed_send();
  return make_world_and_self(transport::arena.ranks, transport::arena.rank);
}

}  // namespace

Error start_process(int required, int* provided) {
  read_settings();
  if (Error error = attach()) return error;
  auto& row = transport::arena.row(transport::arena.rank);
  row.state.pid.store(getpid(),
                      std::memory_order_relaxed);  // relaxed: ordered by the probe's address
  transport::offer_probe_word();
  library_state.thread_level = required;
  library_state.main_thread = pthread_self();
  platform::threads_multiple = handle_tables_are_shared = required == MPI_THREAD_MULTIPLE;
  if (Error error = message::start_engine()) return error;
  message::set_wait_budget();
  if (Error error = make_objects()) return error;

  abort_job = abort_process;
  rank_for_messages = static_cast<int>(transport::arena.rank);
  default_error_target = &self_communicator()->errors;
  set_predefined_attributes(static_cast<int>(transport::arena.ranks), -1, true);
  library_state.phase = LibraryState::Phase::running;
  *provided = library_state.thread_level;
  if (Error error = make_environment_info(static_cast<int>(transport::arena.ranks),
                                          thread_level_name(library_state.thread_level)))
    return error;
  set_phase(lockfree::Phase::initialised);
  return MPI_SUCCESS;
}

Error end_process() {
  // The standard: finalizing starts as if MPI_COMM_SELF were freed, callbacks included.
  Communicator& self = *self_communicator();
  if (Error error = delete_attributes(self.attributes, self.handle)) return error;
  message::wait_until([] {
    // Nobody need ever look at what was cancelled.
    return (message::engine.queued_count | message::engine.stream_count) == 0 &&
           message::engine.open_offers == message::engine.withdrawn_offers;
  });
  message::process_buffer.forget();
  publish_counters();
  library_state.phase = LibraryState::Phase::finalized;
  default_error_target = nullptr;
  free_world_and_self();
  reset_rooms();
  message::stop_engine();
  set_phase(lockfree::Phase::finalized);
  transport::detach_arena();
  return MPI_SUCCESS;
}

void abort_process(int code) {
  std::fflush(nullptr);
  if (transport::arena.job) {
    auto& row = transport::arena.row(transport::arena.rank);
    publish_counters();
    row.state.abort_code.store(code, std::memory_order_relaxed);  // relaxed: ordered by the phase
    set_phase(lockfree::Phase::aborted);
  }
  _exit(code & 0xff ? code & 0xff : 1);
}

}  // namespace baton::world
