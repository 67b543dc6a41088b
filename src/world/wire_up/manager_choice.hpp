// Chooses the process manager whose variables count where several are in the environment. The
// function is pure.
#pragma once

#include <cstdint>

namespace baton::world {

enum class ManagerKind : std::uint8_t { none, pmi1, pmi2, pmix };

// These are the variables of the environment; null where a variable is not set.
struct ManagerVariables {
  const char* pmi_fd = nullptr;
  const char* pmi_port = nullptr;
  const char* pmi_id = nullptr;
  const char* pmi_rank = nullptr;
  const char* pmi_size = nullptr;
  const char* pmi_job = nullptr;  // PMI_JOBID: srun's PMI-2 sets it
  const char* pmix_namespace = nullptr;
  const char* pmix_rank = nullptr;
  bool fd_is_socket = false;  // PMI_FD is an open socket of this process
};

// Chooses the manager. Launchers start launchers, whose processes keep the outer launcher's
// variables. An open connection was made for this very process; a number that is no open connection
// was inherited without it.
ManagerKind choose_manager(const ManagerVariables& variables);

}  // namespace baton::world
