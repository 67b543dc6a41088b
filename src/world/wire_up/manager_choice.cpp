#include "world/wire_up/manager_choice.hpp"

namespace baton::world {

ManagerKind choose_manager(const ManagerVariables& variables) {
  const bool pmix = variables.pmix_namespace && variables.pmix_rank;
  if (variables.pmi_fd && (variables.fd_is_socket || !pmix))
    return variables.pmi_job ? ManagerKind::pmi2 : ManagerKind::pmi1;
  if (pmix) return ManagerKind::pmix;
  return variables.pmi_port && variables.pmi_id ? ManagerKind::pmi1 : ManagerKind::none;
}

}  // namespace baton::world
