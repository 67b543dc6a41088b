#include "platform/own_library.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstring>

namespace baton::platform {

void own_library(char* path, std::size_t size) {
  path[0] = 0;
  Dl_info ours{};
  if (!dladdr(reinterpret_cast<const void*>(&own_library), &ours) || !ours.dli_fname) return;
  const std::size_t length = std::strlen(ours.dli_fname);
  if (length < size)
    std::memcpy(path, ours.dli_fname, length + 1);
  else
    std::snprintf(path, size, "...%s", ours.dli_fname + (length + 4 - size));
}

}  // namespace baton::platform
