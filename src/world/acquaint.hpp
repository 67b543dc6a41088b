// Groups of different jobs become able to exchange messages: their processes meet in memory that
// they share from then on, where all are on one host, else over the network (message/meet.hpp). It
// happens before the groups become an intercommunicator, and only where somebody does not know one
// of the other side yet.
#pragma once

#include <cstdint>

#include "platform/host_identity.hpp"
#include "world/agree/agree.hpp"
#include "world/group.hpp"

namespace baton::world {

class LeaderChannel;

// A group's processes in the form that all know them by, which travels between ranks.
class TravellingGroup {
 public:
  TravellingGroup() = default;
  ~TravellingGroup();
  TravellingGroup(const TravellingGroup&) = delete;
  TravellingGroup& operator=(const TravellingGroup&) = delete;

  // Makes space for a group, once; false: no memory.
  [[nodiscard]] bool resize(std::int32_t size);
  std::int32_t size() const { return size_; }
  ProcessId* ids() { return ids_; }
  const ProcessId* ids() const { return ids_; }
  std::int64_t bytes() const { return size_ * static_cast<std::int64_t>(sizeof(ProcessId)); }
  void take(const Group& group);
  // The group has as many processes, which are known.
  void give(Group& group) const;

 private:
  std::int32_t size_ = 0;
  ProcessId* ids_ = nullptr;
};

// Returns whether all processes of both groups are of one job.
bool are_of_one_job(const TravellingGroup& one, const TravellingGroup& other);
// Makes the group, if all its processes are known here. Errors, explained: MPI_ERR_GROUP, they are
// not; MPI_ERR_NO_MEM.
[[nodiscard]] Error group_of_known(const TravellingGroup& travelling, Group** made);

// Returns the identity of this process's host. That of a job that takes one machine for several
// nodes is its own: it meets others over the network.
platform::HostIdentity own_host();

// This side of a meeting: its members, the position of their leader, the leader's channel to the
// other one (null at the others), and the other leader's host.
struct MeetingSide {
  const Members& members;
  std::int32_t leader;
  LeaderChannel* channel;
  platform::HostIdentity other_host;
};
// Makes this side's processes known to the other group's, and the reverse, and makes the group of
// those. It is collective over both groups, and ends alike for all. Errors, explained:
// MPI_ERR_NO_MEM; MPI_ERR_OTHER, where the processes can neither share memory nor reach each other.
[[nodiscard]] Error acquaint(const MeetingSide& side, const TravellingGroup& remote, Group** made);

}  // namespace baton::world
