// Barrier in a room: everyone raises a flag and waits for all.
#include "collective/algorithm.hpp"
#include "collective/room/visit.hpp"

namespace baton::collective {

Task barrier_in_room(Run& run, Round round) {
  Visit visit(run, round);
  co_await visit.may_write();
  visit.publish_own();
  co_await visit.all_met();
  visit.finish_exchange();
}

}  // namespace baton::collective
