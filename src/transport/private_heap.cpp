#include "transport/private_heap.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "platform/memory_file.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

constinit PrivateHeap private_heap;

Error PrivateHeap::allocate(std::size_t bytes, std::size_t alignment, const NumaPolicy& policy,
                            void** memory) {
  *memory = nullptr;
  std::uint64_t unit = policy.huge && bytes >= huge_page_bytes ? huge_page_bytes : page_bytes;
  std::uint64_t whole = round_up(bytes, unit);
  auto* block = static_cast<Block*>(std::malloc(sizeof(Block)));
  auto* address = static_cast<char*>(
      block ? platform::make_private_memory(whole, std::max<std::uint64_t>(alignment, unit))
            : nullptr);
  bool reserved = false;
  Error error = MPI_SUCCESS;
  if (address) error = placing.reserve({address, whole}, policy, &reserved);
  if (!reserved) {
    if (address) platform::unmap_memory(address, whole);
    std::free(block);
    return error;
  }
  platform::Guard guard(lock_);
  *block = {blocks_, address, whole};
  // relaxed: who looks at it without the lock wants no block that is not there yet.
  std::atomic_ref(blocks_).store(block, std::memory_order_relaxed);
  *memory = address;
  return MPI_SUCCESS;
}

bool PrivateHeap::release(void* address) {
  // A thread that has a block has put it there, or got the address from a thread that did.
  if (!platform::load_shared(blocks_)) return false;
  platform::Guard guard(lock_);
  for (Block** link = &blocks_; Block* block = *link; link = &block->next) {
    if (block->address != address) continue;
    // relaxed: as in `allocate`.
    std::atomic_ref(*link).store(block->next, std::memory_order_relaxed);
    platform::unmap_memory(block->address, block->bytes);
    std::free(block);
    return true;
  }
  return false;
}

}  // namespace baton::transport
