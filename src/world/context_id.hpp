// Context ids: agreed by the processes that will use one, from what each has free; given back on
// free. Several agreements may be under way in a process at once, in different orders in different
// processes, and none waits for another: an id is claimed after it was chosen, and where somebody
// had claimed it for another agreement meanwhile, all of this one choose again.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/core/context.hpp"
#include "world/agree/agree.hpp"

namespace baton::world {

// Ids with their planes: id * plane_count + plane. 0 is the world's, 1 self's, 2 that of agreements
// among groups that have no communicator yet.
inline constexpr std::uint32_t world_context = 0;
inline constexpr std::uint32_t self_context = 1;
inline constexpr std::uint32_t groups_context = 2;
inline constexpr std::uint32_t context_ids_max = 65536;

// One agreement, in steps that never wait. Stays where it is from start to the end.
class IdAgreement {
 public:
  // `blocking`: the caller does nothing else until it is over.
  void start(const Members& members, bool blocking);
  // Goes on as far as it can; true when it is over: error() or id() is the outcome.
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
  bool claimed_ = false;  // the chosen id, here
  std::uint32_t window_ = 0;
  std::uint32_t attempt_ = 0;
  std::uint32_t id_ = 0;
  Error error_ = MPI_SUCCESS;
};

// Agrees with the members on an id that all have free, and waits for it. MPI_ERR_OTHER when none is
// left, explained.
Error agree_context_id(const Members& members, std::uint32_t* id);

void free_context_id(std::uint32_t id);
void reset_context_ids();

}  // namespace baton::world
