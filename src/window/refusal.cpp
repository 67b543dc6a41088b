#include "window/refusal.hpp"

#include "base/failure_class.hpp"

namespace baton::window {

Error refused(int rank, std::int32_t error) {
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  if (error == error_process_failed)
    return fail(error,
                "rank %d of the window has not carried it out: it has died, or a rank has that it "
                "waits for",
                rank);
  return fail(error, "rank %d of the window refused it: %s", rank,
              error == MPI_ERR_RMA_RANGE ? "it reaches bytes that are not in its memory there"
                                         : "the operation cannot be carried out there");
}

}  // namespace baton::window
