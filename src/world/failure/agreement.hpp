// An agreement among the members of a communicator that survives failures: a consensus
// (world/agree/consensus.hpp) whose messages are active messages, so that it works on communicators
// that are revoked or have failed members, over several nodes and jobs.
#pragma once

#include <cstdint>
#include <memory>

#include "base/error.hpp"
#include "world/agree/consensus.hpp"
#include "world/failure/communicator_key.hpp"

namespace baton::world {

class Agreement final : Consensus::Surroundings {
 public:
  // An operation of a communicator has several steps, each an agreement.
  static constexpr std::uint32_t steps_max = 1 << 8;

  // Begins the next operation of the communicator; all members begin theirs in the same order.
  explicit Agreement(Communicator& communicator);
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;
  ~Agreement();

  // Starts the first step, or the next one behind one that is over: contributes `count` words, as
  // many as all other members. Errors, explained: MPI_ERR_NO_MEM, MPI_ERR_UNSUPPORTED_OPERATION
  // where the communicator has too many members.
  [[nodiscard]] Error start(const std::uint64_t* words, std::int32_t count);
  // Returns whether the step is over. Makes no progress.
  bool is_over() const;
  // Return the outcome: the bitwise and of the words of all members that have contributed, and
  // whether a member has failed to.
  std::uint64_t word(std::int32_t index) const { return consensus_->word(index); }
  bool has_failed(std::int32_t member) const { return consensus_->has_failed(member); }

  const Group& members() const { return members_; }
  // Returns the operation's number on its communicator, the same at all members.
  std::uint32_t operation() const { return number_ / steps_max; }

 private:
  friend class Agreements;
  void send(std::int32_t to, const Consensus::Message& message) override;
  bool is_lost(std::int32_t member) const override;

  const Group& members_;  // held
  CommunicatorKey key_;
  std::uint32_t number_ = 0;  // of the step: the operation, and the step within it
  std::unique_ptr<Consensus> consensus_;
  Agreement* next_ = nullptr;
};

// Makes agreements possible. Called once, before messages start.
void hear_of_agreements();

}  // namespace baton::world
