// This is the exported heap: memory of MPI_Alloc_mem that every rank of the job can map, so that
// messages in it are copied without a system call. Each rank has a part of the job's memory file
// behind the slices; it maps its own with the first allocation, a peer's with the first message
// from there. It is called by world/ and window/ (allocation) and by single copies. Invariant:
// pages that are not allocated have no memory; allocated pages are reserved, unless their owner
// wants each to get memory when it is touched.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/error.hpp"
#include "base/numa_policy.hpp"
#include "platform/lock.hpp"
#include "transport/arena.hpp"
#include "transport/heap_pages.hpp"

namespace baton::transport {

class ExportedHeap {
 public:
  // Allocates memory of this rank that its peers can reach, under `policy` (null: where the kernel
  // puts it); alignment is a power of two. It reads as zeros. `reserved`: all pages have memory at
  // once; otherwise each page gets some when it is touched. Null without an error when there is
  // none: the job has no heap (a lone process, a limit on file sizes) or memory is short. An error
  // comes from the policy.
  [[nodiscard]] Error allocate(std::size_t bytes, std::size_t alignment, const NumaPolicy* policy,
                               bool reserved, void** memory);
  // Frees the block that begins at an exported address. Returns false when no block in use begins
  // there.
  bool release(void* address);
  // Returns the last part of this rank's heap, for the program's own malloc (program_heap.hpp), and
  // its offset in the job's file. Null: there is none.
  char* map_program_part(std::uint64_t* offset);
  // Returns whether memory of this rank is exported.
  bool contains(const void* address) const;
  // Finds the block of this rank in use that an address lies in. Returns false if there is none.
  bool find_block(const void* address, char** start, std::size_t* bytes);
  // Returns where an address of another process's exported heap lies in this process; null when it
  // is not from there, or cannot be mapped here.
  char* reach(Slot owner, const void* address);
  // Detaches the heap, before the arena is detached. Memory that the program still has stays
  // mapped.
  void detach();

  HeapPages pages;

 private:
  struct Block {
    std::uint64_t offset;  // in this rank's part; whole pages
    std::uint64_t bytes;
    bool placed;
  };
  char* own() const {
    // ORDER heap.own: acquire here, release in map_own.
    return own_base_.load(std::memory_order_acquire);
  }
  bool map_own();
  bool space_for_block();
  bool find_gap(std::uint64_t bytes, std::uint64_t alignment, Block* found, std::size_t* index);
  bool reserve_block(Block& block, const NumaPolicy* policy, Error* error);
  char* map_peer(std::uint32_t owner);

  // These are this rank's own part. The blocks are in the order of their offsets, and the first gap
  // that fits is taken.
  std::atomic<char*> own_base_{nullptr};
  std::uint64_t own_bytes_ = 0;
  std::uint64_t blocks_bytes_ = 0;  // from the part's beginning; behind it the program's heap
  Block* blocks_ = nullptr;
  std::size_t block_count_ = 0, block_space_ = 0;
  bool outlived_ = false;  // blocks of a job that this process has left are still in use
  platform::Lock own_lock_;
  // These are the parts of the other ranks as mapped here: null when not yet mapped, the address of
  // `unreachable_` when it cannot be mapped.
  std::atomic<char**> peer_bases_{nullptr};
  char unreachable_ = 0;
  platform::Lock peer_lock_;
};

extern ExportedHeap exported_heap;

}  // namespace baton::transport
