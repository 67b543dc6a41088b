#include "transport/private_heap.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/cache_line.hpp"
#include "platform/lock.hpp"
#include "platform/memory_file.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

namespace {

struct Block {
  Block* next;
  char* address;
  std::uint64_t bytes;
};
std::atomic<Block*> blocks{nullptr};  // changed under the lock
platform::Lock lock;

}  // namespace

Error allocate_private(std::size_t bytes, std::size_t alignment, const NumaPolicy& policy,
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
  if (address) error = place_and_reserve({address, whole}, policy, &reserved);
  if (!reserved) {
    if (address) platform::unmap_memory(address, whole);
    std::free(block);
    return error;
  }
  platform::Guard guard(lock);
  // relaxed: it is only changed under this lock.
  *block = {blocks.load(std::memory_order_relaxed), address, whole};
  blocks.store(block, std::memory_order_relaxed);
  *memory = address;
  return MPI_SUCCESS;
}

bool release_private(void* address) {
  // relaxed: a thread that has a block has put it there, or got the address from a thread that did.
  if (!blocks.load(std::memory_order_relaxed)) return false;
  platform::Guard guard(lock);
  Block* before = nullptr;
  for (Block* block = blocks.load(std::memory_order_relaxed); block; block = block->next) {
    if (block->address == address) {
      // relaxed: it is only changed under this lock.
      if (before)
        before->next = block->next;
      else
        blocks.store(block->next, std::memory_order_relaxed);
      platform::unmap_memory(block->address, block->bytes);
      std::free(block);
      return true;
    }
    before = block;
  }
  return false;
}

}  // namespace baton::transport
