#include "world/failure/failures.hpp"

#include <algorithm>
#include <cstdlib>

#include "message/core/loss.hpp"
#include "world/communicator.hpp"

namespace baton::world {

const Group& members_of(const Communicator& communicator) {
  return communicator.both ? *communicator.both : *communicator.local;
}

Failures::~Failures() {
  std::free(failed_);
}

Error Failures::look(const Communicator& communicator) {
  if (!message::has_lost_peers()) return MPI_SUCCESS;
  const Group& members = members_of(communicator);
  platform::Guard guard(lock_);
  if (!failed_)
    failed_ = static_cast<std::int32_t*>(
        std::malloc(static_cast<std::size_t>(members.size) * sizeof *failed_));
  if (!failed_) return fail(MPI_ERR_NO_MEM, "no memory for the list of failed ranks");
  for (std::int32_t i = 0; i < members.size; ++i)
    if (message::loss_of(members.processes[i]) &&
        std::find(failed_, failed_ + count_, i) == failed_ + count_)
      failed_[count_++] = i;
  return MPI_SUCCESS;
}

std::int32_t Failures::acknowledge(std::int32_t count) {
  platform::Guard guard(lock_);
  return acknowledged_ = std::max(acknowledged_, std::min(count, count_));
}

bool Failures::has_acknowledged(std::int32_t member) {
  platform::Guard guard(lock_);
  return std::find(failed_, failed_ + acknowledged_, member) != failed_ + acknowledged_;
}

Error Failures::make_group(const Communicator& communicator, std::int32_t count, Group** made) {
  const Group& members = members_of(communicator);
  Group* group = nullptr;
  {
    platform::Guard guard(lock_);
    count = std::min(count, count_);
    group = new_group(count);
    for (std::int32_t i = 0; group && i < count; ++i)
      group->processes[i] = members.processes[failed_[i]];
  }
  if (!group) return fail(MPI_ERR_NO_MEM, "no memory for a group");
  if (members.session) belong_to(*group, members.session);
  finish_group(*group);
  if (group->size == 0) {
    release(*group);
    *made = groups.find(MPI_GROUP_EMPTY);
    return MPI_SUCCESS;
  }
  if (Error error = publish_group(*group)) {
    release(*group);
    return error;
  }
  *made = group;
  return MPI_SUCCESS;
}

void Failures::copy_acknowledged(std::uint64_t* bits) {
  platform::Guard guard(lock_);
  for (std::int32_t i = 0; i < acknowledged_; ++i)
    bits[failed_[i] / 64] |= std::uint64_t{1} << (failed_[i] % 64);
}

}  // namespace baton::world
