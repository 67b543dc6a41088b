#include "world/foreign_launcher.hpp"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/search_path.hpp"

namespace baton::world {

namespace {

// Variables by which a launcher offers PMI-1, PMI-2 or PMIx to its processes. Where they suffice,
// the rank connects to the launcher (wire_up/). mpiexec takes them out of its ranks' environment.
constexpr const char* foreign_variables[] = {"PMI_FD",    "PMI_PORT",        "PMI_RANK",
                                             "PMI2_RANK", "PMIX_RANK",       "PMIX_NAMESPACE",
                                             "PMI_SIZE",  "PMIX_SERVER_URI4"};

const char* folder_in_library_path() {
  const char* folder = environment_variable("BATON_LIBRARY_FOLDER");
  const char* path = environment_variable("LD_LIBRARY_PATH");
  return folder && path && has_folder(path, folder) ? folder : nullptr;
}

// Refuses a start where a rank that never called MPI_Init (a shell's script, say) has started
// another MPI's mpiexec.
Error refuse_launcher_in_rank(const char* variable) {
  const char* folder = folder_in_library_path();
  if (!folder)
    return fail(MPI_ERR_OTHER,
                "a rank of Baton's mpiexec started another launcher (%s is set), and that one this "
                "program, without a connection by PMI-1, PMI-2 or PMIx. Start the program with "
                "Baton's mpiexec",
                variable);
  return fail(MPI_ERR_OTHER,
              "a rank of Baton's mpiexec started another launcher (%s is set), and that one this "
              "program, which LD_LIBRARY_PATH led to Baton's library. Start that launcher as "
              "`env -u LD_LIBRARY_PATH mpiexec ...`, or with an LD_LIBRARY_PATH without %s",
              variable, folder);
}

// Refuses a start by an srun that offers no PMI to several tasks, which would each run as if alone.
// A process that a batch script or a shell starts is really alone: SLURM_PROCID and SLURM_NTASKS
// are set there as well, but the step's number of tasks is not, or is 1. In a shell of `srun --pty`
// only the shell itself is a task.
Error refuse_step_of_several_tasks() {
  const char* tasks = environment_variable("SLURM_STEP_NUM_TASKS");
  if (!environment_variable("SLURM_PROCID") || !tasks || std::atoi(tasks) < 2) return MPI_SUCCESS;
  const char* task = environment_variable("SLURM_TASK_PID");
  if (environment_variable("SLURM_PTY_PORT") && task && std::atoi(task) != getpid())
    return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "srun started this program as one of %s tasks (SLURM_STEP_NUM_TASKS) and offers no "
              "PMI: every task would be rank 0 of 1. Start it with `srun --mpi=pmi2` or `srun "
              "--mpi=pmix`, or without srun as `mpiexec -n %s PROGRAM` in the allocation. Where "
              "each task shall be a job of its "
              "own: `srun ... env -u SLURM_STEP_NUM_TASKS PROGRAM`",
              tasks, tasks);
}

}  // namespace

Error refuse_foreign_launcher() {
  const bool in_rank = environment_variable("BATON_RANK");
  for (const char* name : foreign_variables) {
    if (!environment_variable(name)) continue;
    if (in_rank) return refuse_launcher_in_rank(name);
    return fail(MPI_ERR_OTHER,
                "another launcher started this program (%s is set), but offers no connection by "
                "PMI-1, PMI-2 or PMIx: every rank would be rank 0 of 1. Start it with Baton's "
                "mpiexec",
                name);
  }
  return in_rank ? MPI_SUCCESS : refuse_step_of_several_tasks();
}

void leave_library_folder() {
  const char* folder = folder_in_library_path();
  if (!folder) return;
  char* rest = strdup(environment_variable("LD_LIBRARY_PATH"));
  if (!rest) return;
  remove_folder(rest, folder);
  // This is not unsetenv, because replacing moves and frees nothing that another thread may be
  // reading. The loader takes an empty list for none.
  setenv("LD_LIBRARY_PATH", rest, 1);
  std::free(rest);
}

}  // namespace baton::world
