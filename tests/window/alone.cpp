// What windows name of the layers between messages and them, and no unit test of them needs.
#include <gtest/gtest.h>

#include "collective/run.hpp"
#include "tests/window/windows.hpp"
#include "world/error_handler.hpp"
#include "world/portability.hpp"
#include "world/session.hpp"

namespace baton {

ErrorTarget::~ErrorTarget() = default;
void note_not_portable(Lenience) {}

}  // namespace baton

namespace baton::window {

bool the_others_meet = false;

}  // namespace baton::window

namespace baton::collective {

void Run::clear() {}
Error run_now(Run&);
Error run_now(Run&) {
  if (window::the_others_meet) return MPI_SUCCESS;
  ADD_FAILURE() << "a collective";
  return MPI_ERR_INTERN;
}

}  // namespace baton::collective

namespace baton::world {

void release(Session&) {}

}  // namespace baton::world
