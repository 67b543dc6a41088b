// Context ids are agreed by the processes that will use one, from the ids that each has free, and
// are given back when the communicator is freed. Several agreements may be under way in a process
// at once, in different orders in different processes, and none waits for another: an id is claimed
// after it was chosen, and if a member has claimed it for another agreement meanwhile, all members
// of this agreement choose again.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/core/context.hpp"
#include "platform/lock.hpp"
#include "world/agree/agree.hpp"

namespace baton::world {

// An id with its plane is the number id * plane_count + plane. Id 0 is the world's, 1 self's, 2
// that of agreements among groups that have no communicator yet.
inline constexpr std::uint32_t world_context = 0;
inline constexpr std::uint32_t self_context = 1;
inline constexpr std::uint32_t groups_context = 2;
inline constexpr std::uint32_t context_ids_max = 65536;

// The context ids that this process has free, and what its agreements share.
class ContextIds {
 public:
  // Makes all ids free but those above. It is called once, at start.
  void reset();
  // Takes back an id that was agreed on.
  void give_back(std::uint32_t id);
  // Returns the number by which the members tell this use of an id from all others: of a
  // communicator that is gone messages about failures may still come. Predefined ids have 0.
  std::uint64_t nonce(std::uint32_t id) {
    platform::Guard guard(lock_);
    return nonces_[id];
  }
  // Takes an id from the free ones, for this use; false: it is not free any more.
  bool claim(std::uint32_t id, std::uint64_t nonce);
  // Copies the words of ids that are free, a bit each, from a word on.
  void copy_free(std::uint32_t first_word, std::uint32_t count, std::uint64_t* words);
  // Returns a number by which a leader names the next pairing of two groups. No two are alike.
  std::uint32_t next_pairing() {
    platform::Guard guard(lock_);
    return pairings_++;
  }

 private:
  friend class IdAgreement;
  std::uint64_t new_nonce();

  platform::Lock lock_;  // only one thread at a time may look at the following
  std::uint64_t nonces_[context_ids_max] = {};
  std::uint64_t nonces_made_ = 0;
  std::uint64_t free_[context_ids_max / 64] = {};
  std::uint32_t under_way_ = 0;  // agreements of this process that are under way
  std::uint32_t pairings_ = 0;
};

extern ContextIds context_ids;

// This is one agreement, in steps that never wait. The object must not move between start and end.
class IdAgreement {
 public:
  // `blocking`: the caller does nothing else until the agreement is over.
  void start(const Members& members, bool blocking);
  // Goes on as far as it can; returns true when the agreement is over: error() or id() is the
  // outcome.
  bool advance();
  Error error() const { return error_; }
  std::uint32_t id() const { return id_; }

 private:
  enum class Step : std::uint8_t { offering, confirming, over };
  void offer();
  void choose();
  void confirm(bool claimed);
  void settle();
  void finish(Error error);

  Members members_{};
  Dissemination words_;
  Step step_ = Step::over;
  bool alone_ = false;    // no other agreement of this process can come between
  bool claimed_ = false;  // this process has claimed the chosen id
  std::uint32_t first_word_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint32_t id_ = 0;
  Error error_ = MPI_SUCCESS;
};

// Agrees with the members on an id that all have free, and waits for the result. Error:
// MPI_ERR_OTHER when none is left, explained.
Error agree_context_id(const Members& members, std::uint32_t* id);

}  // namespace baton::world
