#include "world/program_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "base/numa_policy.hpp"
#include "transport/heap.hpp"
#include "transport/placing.hpp"
#include "transport/private_heap.hpp"

namespace baton::world {

namespace {

constexpr long largest_alignment = 1L << 30;

// Returns the alignment of the standard's info key; a value that is no power of two is ignored.
std::size_t wanted_alignment(const Info* info) {
  char text[32] = "";
  if (info) info->get("mpi_minimum_memory_alignment", text, sizeof text);
  long wanted = std::strtol(text, nullptr, 10);
  bool power_of_two = wanted > 0 && wanted <= largest_alignment && (wanted & (wanted - 1)) == 0;
  return std::max(cache_line_bytes, power_of_two ? static_cast<std::size_t>(wanted) : 0);
}

// Finds the policy that mpiexec was told for the heap, or that the info gives instead.
Error wanted_policy(const Info* info, int argument, NumaPolicy* policy) {
  if (const NumaPolicy* usual = transport::heap_policy()) *policy = *usual;
  char text[256];
  if (!info || !info->get("baton_memory", text, sizeof text)) return MPI_SUCCESS;
  NumaPolicy asked;
  MemoryWordError error;
  if (!parse_numa_policy(text, &asked, &error))
    return fail(MPI_ERR_INFO_VALUE, "argument %d (info): baton_memory=%s: %s", argument, text,
                error.text);
  bool only_huge = asked.word == MemoryWord::none;
  if (only_huge)
    policy->huge = true;
  else
    *policy = asked;
  return MPI_SUCCESS;
}

}  // namespace

Error allocate_memory(std::size_t bytes, const Info* info, int argument, Backing backing,
                      void** memory) {
  // A size of 0 gives a pointer that free_memory takes back, as any other.
  bytes = std::max<std::size_t>(bytes, 1);
  const std::size_t alignment = wanted_alignment(info);
  NumaPolicy policy;
  if (Error error = wanted_policy(info, argument, &policy)) return error;
  bool placed = BATON_UNLIKELY(policy.asks());
  // The memory lies where the other ranks can reach it, if there is space; else in private memory
  // under its policy, if there is one; else in ordinary memory.
  *memory = nullptr;
  const bool now = backing == Backing::now || placed;
  if (Error error = transport::exported_heap.allocate(bytes, alignment, placed ? &policy : nullptr,
                                                      now, memory))
    return error;
  if (placed && !*memory)
    if (Error error = transport::private_heap.allocate(bytes, alignment, policy, memory))
      return error;
  if (!*memory && policy.strict)
    return fail(MPI_ERR_NO_MEM,
                "memory %s: no memory for %zu bytes; ask for less, or leave out the ! to let it "
                "go elsewhere",
                policy_text(policy).words, bytes);
  if (!*memory && ::posix_memalign(memory, alignment, bytes) != 0)
    return fail(MPI_ERR_NO_MEM, "no memory for %zu bytes", bytes);
  return MPI_SUCCESS;
}

bool free_memory(void* memory) {
  if (transport::exported_heap.contains(memory)) return transport::exported_heap.release(memory);
  if (!transport::private_heap.release(memory)) std::free(memory);
  return true;
}

}  // namespace baton::world
