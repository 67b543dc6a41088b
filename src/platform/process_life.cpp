#include "platform/process_life.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace baton::platform {

unsigned long long began_at(int process) {
  char name[64], text[1024];
  std::snprintf(name, sizeof name, "/proc/%d/stat", process);
  FILE* file = std::fopen(name, "re");
  if (!file) return 0;
  text[std::fread(text, 1, sizeof text - 1, file)] = '\0';
  std::fclose(file);
  const char* name_end = std::strrchr(text, ')');  // the name may hold any character
  char state = 0;
  unsigned long long ticks = 0;
  if (!name_end || std::sscanf(name_end + 1,
                               " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d "
                               "%*d %*d %*d %*d %*d %llu",
                               &state, &ticks) != 2)
    return 0;
  return state != 'Z' && state != 'X' ? ticks : 0;
}

bool may_run(int process) {
  return ::kill(process, 0) == 0 || errno != ESRCH;
}

}  // namespace baton::platform
