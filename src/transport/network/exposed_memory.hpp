// This is memory that peers' providers read and write, without help of this process beyond what the
// provider itself needs. It is registered here, and peers are told its address and keys. It is used
// by message/network/remote_access and by windows.
#pragma once

#include "transport/network/network.hpp"

namespace baton::transport::network {

// The name of exposed memory, as others use it.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t keys[rails_max] = {};  // for each of its process's interfaces
  std::int32_t rails = 0;              // the number of keys; 0: it cannot be reached so
};

// Returns whether there is a network whose provider has remote writes and reads of its own.
bool has_remote_access();

// Registers memory at our interfaces; at fewer where not all can. Errors, explained:
// MPI_ERR_NO_MEM.
[[nodiscard]] Error expose(void* memory, std::size_t bytes, RailRegistrations& made,
                           RemoteMemory& told);

// Registers memory of ours to or from which remote accesses go.
[[nodiscard]] Error register_local(void* memory, std::size_t bytes, bool writes, int rails,
                                   RailRegistrations& made);

}  // namespace baton::transport::network
