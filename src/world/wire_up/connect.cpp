#include <new>

#include "base/environment.hpp"
#include "platform/stream.hpp"
#include "world/wire_up/manager_choice.hpp"
#include "world/wire_up/pmi_manager.hpp"
#include "world/wire_up/pmix_manager.hpp"
#include "world/wire_up/process_manager.hpp"

namespace baton::world {

namespace {

ManagerVariables read_variables() {
  ManagerVariables variables{
      .pmi_fd = environment_variable("PMI_FD"),
      .pmi_port = environment_variable("PMI_PORT"),
      .pmi_id = environment_variable("PMI_ID"),
      .pmi_rank = environment_variable("PMI_RANK"),
      .pmi_size = environment_variable("PMI_SIZE"),
      .pmi_job = environment_variable("PMI_JOBID"),
      .pmix_namespace = environment_variable("PMIX_NAMESPACE"),
      .pmix_rank = environment_variable("PMIX_RANK"),
  };
  int descriptor;
  variables.fd_is_socket = variables.pmi_fd && whole_number(variables.pmi_fd, &descriptor) &&
                           platform::is_socket(descriptor);
  return variables;
}

template <class Manager, class... Arguments>
Error start(Manager* made, ProcessManager** manager, const Arguments&... arguments) {
  if (!made) return fail(MPI_ERR_NO_MEM, "no memory for the connection to the launcher");
  Error error = made->start(arguments...);
  if (error)
    delete made;
  else
    *manager = made;
  return error;
}

}  // namespace

Error connect_process_manager(ProcessManager** manager, Patience patience) {
  *manager = nullptr;
  const ManagerVariables variables = read_variables();
  const ManagerKind kind = choose_manager(variables);
  if (kind == ManagerKind::none) return MPI_SUCCESS;
  if (kind == ManagerKind::pmix) return start(new (std::nothrow) PmixManager(patience), manager);
  const bool is_pmi1 = kind == ManagerKind::pmi1;
  return start(new (std::nothrow)
                   PmiManager(is_pmi1 ? PmiDialect::pmi1 : PmiDialect::pmi2, patience),
               manager, variables);
}

}  // namespace baton::world
