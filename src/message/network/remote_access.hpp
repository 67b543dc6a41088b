// Reads and writes of memory of processes on other nodes by the network's provider: in parts, so
// many at a time, over several interfaces where there are such. Of windows (window/network/).
// Invariant: what is over needs nothing of its target any more; a write is there then.
#pragma once

#include <atomic>

#include "message/core/protocol.hpp"
#include "transport/network/exposed_memory.hpp"

namespace baton::message {

struct RemoteAccess;

struct AccessPart : transport::network::Operation {
  RemoteAccess* access = nullptr;
  int rail = 0;  // the target's interface
  bool busy = false;
};

// Lives until it is over. What stands before the gap is its caller's to fill in.
struct RemoteAccess {
  Process process{};  // the target
  bool writes = false;
  char* data = nullptr;  // here
  std::int64_t bytes = 0;
  transport::network::RemoteMemory there;  // from the first byte on

  static constexpr int parts_max = 8;
  transport::network::NetworkPeer* peer = nullptr;
  transport::network::RailRegistrations memory;  // of the data
  std::uint32_t rails = 1;                       // of the target that are used, as bits
  bool on_rails = false;
  std::int64_t part_bytes = 0;
  std::int64_t next = 0;  // to be begun
  int under_way = 0;
  int under_way_on[transport::network::rails_max] = {};
  int network_error = 0;  // libfabric's
  std::atomic<bool> over = false;
  RemoteAccess* following = nullptr;
  AccessPart parts[parts_max];
};

// MPI_ERR_NO_MEM, explained: nothing has begun, since the provider does not take the memory.
[[nodiscard]] Error begin_access(RemoteAccess& access);
inline bool is_over(const RemoteAccess& access) {
  // ORDER remote_access.over: acquire here, release in end; what was read is there.
  return access.over.load(std::memory_order_acquire);
}
// The error of an access that is over, explained; or MPI_SUCCESS.
Error error_of(const RemoteAccess& access);

// Goes on with what found no space; whether anything began. By who makes progress.
bool advance_accesses();
// Returns whether there are any.
bool has_accesses();

}  // namespace baton::message
