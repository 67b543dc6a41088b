// Names that programs give to communicators and datatypes. Any thread may read one while another
// changes it.
#pragma once

#include <mpi.h>

#include <cstdio>

#include "platform/lock.hpp"

namespace baton::api {

using ObjectName = char[MPI_MAX_OBJECT_NAME];

inline constinit platform::Lock name_lock;

inline void set_name(ObjectName& name, const char* text) {
  platform::Guard guard(name_lock);
  std::snprintf(name, sizeof name, "%s", text);
}

// Copies a name and returns its length.
inline int copy_name(const ObjectName& name, char* text) {
  platform::Guard guard(name_lock);
  return std::snprintf(text, sizeof name, "%s", name);
}

}  // namespace baton::api
