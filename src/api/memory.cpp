#include "api/memory.hpp"

#include <cstdint>

#include "world/program_memory.hpp"

namespace baton::api {

Error get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

// Addresses wrap around as unsigned numbers do; signed overflow would be undefined.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(displacement));
}

MPI_Aint aint_diff(MPI_Aint first, MPI_Aint second) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(first) -
                               static_cast<std::uintptr_t>(second));
}

Error alloc_mem(MPI_Aint size, const Info* info, void* baseptr) {
  return world::allocate_memory(static_cast<std::size_t>(size), info, 2, world::Backing::now,
                                static_cast<void**>(baseptr));
}

Error free_mem(void* base) {
  if (world::free_memory(base)) return MPI_SUCCESS;
  return fail(MPI_ERR_BASE,
              "argument 1 (base): no memory of MPI_Alloc_mem that is in use begins at %p; give the "
              "address that it gave, once",
              base);
}

}  // namespace baton::api
