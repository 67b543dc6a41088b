#include "window/epoch.hpp"

namespace baton::window {

namespace {

const char* name_of(Epoch epoch) {
  switch (epoch) {
    case Epoch::none:
      break;
    case Epoch::fence:
      return "operations since the last MPI_Win_fence await the next one";
    case Epoch::started:
      return "an epoch of MPI_Win_start is open; MPI_Win_complete ends it";
    case Epoch::locked:
      return "targets are locked; MPI_Win_unlock ends that";
    case Epoch::locked_all:
      return "an epoch of MPI_Win_lock_all is open; MPI_Win_unlock_all ends it";
  }
  return "no epoch is open";
}

}  // namespace

Error wrong_epoch(const char* what) {
  return fail(MPI_ERR_RMA_SYNC, "%s", what);
}

Error refuse(Epoch open) {
  return fail(MPI_ERR_RMA_SYNC, "%s first", name_of(open));
}

Error refuse_assertion(int assertion, int allowed) {
  return fail(MPI_ERR_ASSERT,
              "argument assert: %#x has bits that mean nothing here; 0 always holds",
              static_cast<unsigned>(assertion & ~allowed));
}

}  // namespace baton::window
