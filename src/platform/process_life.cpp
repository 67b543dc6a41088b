#include "platform/process_life.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>

namespace baton::platform {

unsigned long long began_at(int process) {
  char name[64];
  std::snprintf(name, sizeof name, "/proc/%d/stat", process);
  FILE* file = std::fopen(name, "re");
  if (!file) return 0;
  char state = 0;
  unsigned long long ticks = 0;
  const int read =
      std::fscanf(file,
                  "%*d (%*[^)]) %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                  "%*d %*d %*d %*d %*d %llu",
                  &state, &ticks);
  std::fclose(file);
  return read == 2 && state != 'Z' && state != 'X' ? ticks : 0;
}

bool may_run(int process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace baton::platform
