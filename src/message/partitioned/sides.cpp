// The sides of this process: those that are active, with which progress goes on, and those whose
// requests were freed while something was still under way.
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "message/core/loss.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/requests.hpp"
#include "message/partitioned/side.hpp"

namespace baton::message::partitioned {

namespace {

void destroy(Side& side) {
  std::free(side.marks);
  std::free(side.counts);
  std::free(side.waiting);
  std::free(side.next_told);
  std::free(side.messages);
  std::free(side.packed);
  std::free(side.taken);
  delete &side;
}

class Sides final : public ProgressSource {
 public:
  // The list changes only at its head meanwhile: new sides are put there.
  bool advance() override {
    if (advancing_) return false;
    advancing_ = true;
    bool any = false;
    for (Side* side = first(); side;) {
      Side* next = side->next;
      any |= advance_one(*side);
      side = next;
    }
    advancing_ = false;
    return any;
  }
  // Advances one, for the only thread, which waits for it.
  bool advance_alone(Side& side) {
    if (advancing_) return false;
    advancing_ = true;
    advance_one(side);
    advancing_ = false;
    return true;
  }
  void add(Side& side) {
    platform::Guard guard(lock_);
    side.next = first_;
    first_ = &side;
    set_active(*this, true);
  }

  void retire(Side& side) {
    platform::Guard guard(lock_);
    side.next = retired_;
    platform::store_shared(retired_, &side);
  }
  bool any_retired() const { return platform::load_shared(retired_) != nullptr; }
  Side* take_retired() {
    platform::Guard guard(lock_);
    Side* first_retired = retired_;
    platform::store_shared(retired_, nullptr);
    return first_retired;
  }
  // The numbers of sides name them in tags. They come again after some 8 million.
  std::int32_t new_number() {
    constexpr std::uint32_t numbers_max = 0x7fffffff / message_units_max;
    return static_cast<std::int32_t>(platform::add_shared(last_number_, 1u) % numbers_max);
  }

 private:
  Side* first() {
    platform::Guard guard(lock_);
    return first_;
  }
  bool advance_one(Side& side) {
    const bool any = side.sends ? advance_send(side) : advance_receive(side);
    if (!is_done(side) && !(has_lost_peers() && end_without_peer(side))) return any;
    unlink(side);
    // The program may free it at once.
    complete(*side.visible, side.error ? side.error : side.failed);
    return true;
  }
  void unlink(Side& side) {
    platform::Guard guard(lock_);
    Side** link = &first_;
    while (*link != &side) link = &(*link)->next;
    *link = side.next;
    if (!first_) set_active(*this, false);
  }

  Side* first_ = nullptr;
  Side* retired_ = nullptr;
  std::uint32_t last_number_ = 0;
  bool advancing_ = false;  // a message that is begun may come back here
  platform::Lock lock_;     // protects the lists
};
constinit Sides sides;

}  // namespace

void add_active(Side& side) {
  sides.add(side);
}

bool advance_alone(Request& request) {
  return sides.advance_alone(side_of(request));
}

std::int32_t new_number() {
  return sides.new_number();
}

void retire(Side& side) {
  sweep_retired();
  if (part(side))
    destroy(side);
  else
    sides.retire(side);
}

void sweep_retired() {
  if (BATON_LIKELY(!sides.any_retired())) return;
  for (Side *side = sides.take_retired(), *next; side; side = next) {
    next = side->next;
    if (part(*side))
      destroy(*side);
    else
      sides.retire(*side);
  }
}

void forget() {
  for (Side *side = sides.take_retired(), *next; side; side = next) {
    next = side->next;
    take_everything(*side);
    destroy(*side);
  }
}

void abandon(Side& side) {
  destroy(side);
}

void give_up(Side& side, Error error, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(side.why, sizeof side.why, format, arguments);
  va_end(arguments);
  platform::store_shared(side.error, error);
}

namespace {

bool withdraw_units(Side& side) {
  bool all = true;
  for (std::uint32_t unit = side.done; unit < side.units.count(); ++unit)
    all &= withdraw_unit(side.unit(unit), side.iteration);
  return all;
}

}  // namespace

bool end_without_peer(Side& side) {
  if (!has_met(side) || !side.board) return false;  // messages end by themselves
  const Error error = lost_source(side.context, side.arguments.rank);
  if (!error || (side.sends ? has_more_to_send(side) : has_more_to_take(side))) return false;
  // A peer that lives may be copying from this side's buffer, or to it.
  const Process peer = side.context.process(side.arguments.rank);
  if (side.way == Way::direct && !loss_of(peer) && !withdraw_units(side)) return false;
  if (!side.error) give_up(side, error, "%s", last_explanation().text);
  return true;
}

}  // namespace baton::message::partitioned
