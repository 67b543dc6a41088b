// libfabric, opened when a job spans nodes and not before: a job on one node neither loads nor
// needs it. Built against the headers of libfabric 1.17; newer libraries keep the functions of that
// version, and their default ones may be others, so each is asked for by version.
#pragma once

#include <rdma/fabric.h>

#include <cstdint>

#include "base/error.hpp"

namespace baton::transport::network {

// What is called by name. All else goes through the objects that these give.
struct Library {
  int (*getinfo)(std::uint32_t version, const char* node, const char* service, std::uint64_t flags,
                 const fi_info* hints, fi_info** info);
  void (*freeinfo)(fi_info* info);
  fi_info* (*dupinfo)(const fi_info* info);
  int (*fabric)(fi_fabric_attr* attributes, fid_fabric** fabric, void* context);
  const char* (*strerror)(int error);
  std::uint32_t (*version)();
};

// The interface that we speak; what the library itself is, `version` says.
inline constexpr std::uint32_t interface_version = FI_VERSION(1, 17);

// The library of BATON_LIBFABRIC, or the system's. Null, explained, when there is none that will
// do. Once opened it stays.
const Library* open_library();

}  // namespace baton::transport::network
