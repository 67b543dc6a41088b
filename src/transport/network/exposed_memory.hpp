// Memory that peers' providers read and write without this process's help but what the provider
// itself needs: registered here, named in what peers are told. Used by
// message/network/remote_access and by windows.
#pragma once

#include "transport/network/network.hpp"

namespace baton::transport::network {

// As others name it.
struct RemoteMemory {
  std::uint64_t address = 0;
  std::uint64_t keys[rails_max] = {};  // for each of its process's interfaces
  std::int32_t rails = 0;              // so many; 0: it is not to be reached so
};

// Whether there is a network whose provider has remote writes and reads of its own.
bool has_remote_access();

// Registers it for our interfaces; for fewer where not all can. Errors, explained: MPI_ERR_NO_MEM.
[[nodiscard]] Error expose(void* memory, std::size_t bytes, RailRegistrations& made,
                           RemoteMemory& told);

// Memory of ours to or from which remote accesses go.
[[nodiscard]] Error register_local(void* memory, std::size_t bytes, bool writes, int rails,
                                   RailRegistrations& made);

}  // namespace baton::transport::network
