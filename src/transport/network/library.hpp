// libfabric is opened when a job spans nodes and not before: a job on one node neither loads nor
// needs it. This is built against the headers of libfabric 1.17; newer libraries keep the functions
// of that version but may have others by default, so each function is asked for by version.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>

#include "base/error.hpp"

namespace baton::transport::network {

// These are the functions that are called by name; null: the library is not open. All other calls
// go through the objects that these give.
struct Library {
  // Opens the library of BATON_LIBFABRIC, or the system's, unless it is open. Once opened it stays.
  [[nodiscard]] Error open();

  int (*getinfo)(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
                 const fi_info* hints, fi_info** info);
  void (*freeinfo)(fi_info* info);
  fi_info* (*dupinfo)(const fi_info* info);
  int (*fabric)(fi_fabric_attr* attributes, fid_fabric** fabric, void* context);
  const char* (*strerror)(int error);
  std::uint32_t (*version)();  // found last
};

// This is the version of the interface that we use; `version` tells that of the library itself.
inline constexpr std::uint32_t interface_version = FI_VERSION(1, 17);

}  // namespace baton::transport::network
