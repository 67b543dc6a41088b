#include "launch/run/debugger.hpp"

#include <unistd.h>

#include <climits>
#include <cstring>

extern "C" {

MPIR_PROCDESC* MPIR_proctable = nullptr;
int MPIR_proctable_size = 0;
int MPIR_debug_state = 0;
char* MPIR_debug_abort_string = nullptr;
int MPIR_being_debugged = 0;
int MPIR_i_am_starter = 0;
int MPIR_partial_attach_ok = 0;

// This is not inlined, cloned or taken for a function without effect: a debugger changes data here.
__attribute__((noipa, used)) void MPIR_Breakpoint() {
  asm volatile("" ::: "memory");
}
}

namespace baton::launch {

namespace {

// These are the interface's MPIR_DEBUG_SPAWNED and MPIR_DEBUG_ABORTING.
constexpr int state_spawned = 1;
constexpr int state_aborting = 2;

char* host_name() {
  static char name[HOST_NAME_MAX + 1];
  if (::gethostname(name, sizeof name - 1) != 0) std::strcpy(name, "localhost");
  return name;
}

char* program_of(pid_t process) {
  char path[PATH_MAX];
  ssize_t length =
      ::readlink(("/proc/" + std::to_string(process) + "/exe").c_str(), path, sizeof path - 1);
  return ::strndup(path, length > 0 ? static_cast<std::size_t>(length) : 0);
}

}  // namespace

bool started_by_debugger() {
  // Nothing in this program writes the variable, so the compiler is told that somebody else may
  // have.
  asm("" : "+m"(MPIR_being_debugged));
  return MPIR_being_debugged != 0;
}

void show_ranks(std::span<const pid_t> processes) {
  // The table is never freed: a debugger may read it until this process ends.
  auto* table = new MPIR_PROCDESC[processes.size()];
  for (std::size_t rank = 0; rank < processes.size(); ++rank)
    table[rank] = {host_name(), program_of(processes[rank]), processes[rank]};
  MPIR_proctable = table;
  MPIR_proctable_size = static_cast<int>(processes.size());
  MPIR_debug_state = state_spawned;
  MPIR_Breakpoint();
}

void show_failure(const std::string& text) {
  MPIR_debug_abort_string = ::strdup(text.c_str());
  MPIR_debug_state = state_aborting;
  MPIR_Breakpoint();
}

}  // namespace baton::launch
