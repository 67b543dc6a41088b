#include "api/memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "base/numa_policy.hpp"
#include "transport/heap.hpp"
#include "transport/placing.hpp"
#include "transport/private_heap.hpp"

namespace baton::api {

namespace {

constexpr long largest_alignment = 1L << 30;

// The standard's info key; values that are no power of two are no hint we can follow.
std::size_t wanted_alignment(const Info* info) {
  char text[32] = "";
  if (info) info->get("mpi_minimum_memory_alignment", text, sizeof text);
  long wanted = std::strtol(text, nullptr, 10);
  bool power_of_two = wanted > 0 && wanted <= largest_alignment && (wanted & (wanted - 1)) == 0;
  return std::max(cache_line_bytes, power_of_two ? static_cast<std::size_t>(wanted) : 0);
}

// What mpiexec was told of the heap, and what the info says instead.
Error wanted_policy(const Info* info, NumaPolicy* policy) {
  if (const NumaPolicy* usual = transport::heap_policy()) *policy = *usual;
  char text[256];
  if (!info || !info->get("baton_memory", text, sizeof text)) return MPI_SUCCESS;
  NumaPolicy asked;
  MemoryWordError error;
  if (!parse_numa_policy(text, &asked, &error))
    return fail(MPI_ERR_INFO_VALUE, "argument 2 (info): baton_memory=%s: %s", text, error.text);
  bool only_huge = asked.word == MemoryWord::none;
  if (only_huge)
    policy->huge = true;
  else
    *policy = asked;
  return MPI_SUCCESS;
}

}  // namespace

Error get_address(const void* location, MPI_Aint* address) {
  *address = reinterpret_cast<MPI_Aint>(location);
  return MPI_SUCCESS;
}

// Addresses wrap as unsigned numbers do; signed overflow would be undefined.
MPI_Aint aint_add(MPI_Aint base, MPI_Aint displacement) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(base) +
                               static_cast<std::uintptr_t>(displacement));
}

MPI_Aint aint_diff(MPI_Aint first, MPI_Aint second) {
  return static_cast<MPI_Aint>(static_cast<std::uintptr_t>(first) -
                               static_cast<std::uintptr_t>(second));
}

Error alloc_mem(MPI_Aint size, const Info* info, void* baseptr) {
  // A size of 0 gives a pointer that MPI_Free_mem takes back, as any other.
  std::size_t bytes = static_cast<std::size_t>(std::max<MPI_Aint>(size, 1));
  const std::size_t alignment = wanted_alignment(info);
  NumaPolicy policy;
  if (Error error = wanted_policy(info, &policy)) return error;
  bool placed = BATON_UNLIKELY(policy.asks());
  // Where the other ranks can reach it, if there is room; else under its policy all the same; else
  // like any other memory.
  void* memory = nullptr;
  if (Error error =
          transport::allocate_exported(bytes, alignment, placed ? &policy : nullptr, &memory))
    return error;
  if (placed && !memory)
    if (Error error = transport::allocate_private(bytes, alignment, policy, &memory)) return error;
  if (!memory && policy.strict)
    return fail(MPI_ERR_NO_MEM,
                "memory %s: no memory for %lld bytes; ask for less, or leave out the ! to let it "
                "go elsewhere",
                policy_text(policy).words, static_cast<long long>(size));
  if (!memory && ::posix_memalign(&memory, alignment, bytes) != 0)
    return fail(MPI_ERR_NO_MEM, "no memory for %lld bytes", static_cast<long long>(size));
  *static_cast<void**>(baseptr) = memory;
  return MPI_SUCCESS;
}

Error free_mem(void* base) {
  if (!transport::is_exported(base)) {
    if (!transport::release_private(base)) std::free(base);
    return MPI_SUCCESS;
  }
  if (transport::release_exported(base)) return MPI_SUCCESS;
  return fail(MPI_ERR_BASE,
              "argument 1 (base): no memory of MPI_Alloc_mem that is in use begins at %p; give the "
              "address that it gave, once",
              base);
}

}  // namespace baton::api
