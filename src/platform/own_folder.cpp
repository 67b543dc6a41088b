#include "platform/own_folder.hpp"

#include <unistd.h>

#include <cstring>

namespace baton::platform {

bool own_folder(char (&folder)[PATH_MAX]) {
  ssize_t length = readlink("/proc/self/exe", folder, sizeof folder - 1);
  if (length < 0) return false;
  folder[length] = 0;
  if (char* name = std::strrchr(folder, '/')) *name = 0;
  return true;
}

}  // namespace baton::platform
