// A host identity says on which host a process is, as far as sharing memory goes: the kernel's
// boot, and the namespaces that divide it. Two processes of equal identity see the same processes
// and memory files; equal host names do not imply that.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>

namespace baton::platform {

struct HostIdentity {
  std::uint64_t boot[2] = {};        // random, new with each boot
  std::uint64_t namespaces[4] = {};  // of host names, IPC, network, and processes
  bool operator==(const HostIdentity&) const = default;
};
HostIdentity host_identity();

// Writes the host's name, cut to fit; it is for people.
void host_name(char* name, std::size_t bytes);

// Reads the CPUs on which a process may run; false where the kernel does not say.
bool allowed_cpus(int process, cpu_set_t* cpus);

}  // namespace baton::platform
