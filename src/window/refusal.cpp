#include "window/refusal.hpp"

namespace baton::window {

Error refused(int rank, std::int32_t error) {
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  return fail(error, "rank %d of the window refused it: %s", rank,
              error == MPI_ERR_RMA_RANGE ? "it reaches bytes that are not in its memory there"
                                         : "the operation cannot be carried out there");
}

}  // namespace baton::window
