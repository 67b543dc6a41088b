#include "platform/host_identity.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <iterator>

namespace baton::platform {

HostIdentity host_identity() {
  HostIdentity identity;
  if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
    char text[40] = {};
    (void)!std::fread(text, 1, sizeof text - 1, file);
    std::fclose(file);
    // The boot id's text is folded into two halves, whose bytes identify the boot as well as its
    // digits.
    for (std::size_t i = 0; text[i]; ++i)
      identity.boot[i % 2] = identity.boot[i % 2] * 131 + static_cast<unsigned char>(text[i]);
  }
  const char* names[] = {"/proc/self/ns/uts", "/proc/self/ns/ipc", "/proc/self/ns/net",
                         "/proc/self/ns/pid"};
  for (std::size_t i = 0; i < std::size(names); ++i) {
    struct stat facts;
    if (::stat(names[i], &facts) == 0) identity.namespaces[i] = facts.st_ino;
  }
  return identity;
}

void host_name(char* name, std::size_t bytes) {
  if (::gethostname(name, bytes) != 0) std::snprintf(name, bytes, "?");
  name[bytes - 1] = 0;
}

bool allowed_cpus(int process, cpu_set_t* cpus) {
  CPU_ZERO(cpus);
  return ::sched_getaffinity(process, sizeof *cpus, cpus) == 0;
}

}  // namespace baton::platform
