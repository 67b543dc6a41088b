#include "transport/heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/settings.hpp"
#include "platform/lock.hpp"
#include "platform/memory_file.hpp"
#include "platform/valgrind.hpp"
#include "transport/arena.hpp"
#include "transport/heap_pages.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

namespace {

struct Block {
  std::uint64_t offset;  // in this rank's part; whole pages
  std::uint64_t bytes;
  bool placed;
};

// These are this rank's own part. The blocks are in the order of their offsets, and the first gap
// that fits is taken.
std::atomic<char*> own_base{nullptr};
std::uint64_t own_bytes = 0;
std::uint64_t blocks_bytes = 0;  // from the part's beginning; behind it the program's heap
Block* blocks = nullptr;
std::size_t block_count = 0, block_space = 0;
bool outlived = false;  // blocks of a job that this process has left are still in use
platform::Lock own_lock;

// These are the parts of the other ranks as mapped here: null when not yet mapped, `unreachable`
// when it cannot be mapped.
std::atomic<char**> peer_bases{nullptr};
char unreachable;
platform::Lock peer_lock;

char* own() {
  // ORDER heap.own: acquire here, release in map_own.
  return own_base.load(std::memory_order_acquire);
}

std::uint64_t part_of(std::uint32_t owner) {
  return job_arena.job->heaps_offset + owner * job_arena.job->heap_bytes;
}

// In the whole address space only this rank's own blocks go into its core dumps: a dump would give
// all of it memory, and the other ranks dump their own blocks.
char* map_part(std::uint32_t owner) {
  void* base = platform::map_memory_file_for_huge_pages(job_file(), job_arena.job->heap_bytes,
                                                        part_of(owner));
  if (base) platform::set_dumped(base, job_arena.job->heap_bytes, false);
  return static_cast<char*>(base);
}

// Maps this rank's part. The caller holds the lock that protects everything about it.
bool map_own() {
  if (outlived || !job_arena.job || job_arena.job->heap_bytes == 0) return false;
  if (own()) return true;
  // Under valgrind the program's malloc gives the memory instead: valgrind then knows the blocks,
  // and its leak checker does not read all of the address space.
  if (platform::runs_under_valgrind()) return false;
  char* base = map_part(job_arena.own);
  if (!base) return false;
  own_bytes = job_arena.job->heap_bytes;
  blocks_bytes = own_bytes - job_arena.job->program_heap_bytes;
  // ORDER heap.own: release here, acquire in own; its length.
  own_base.store(base, std::memory_order_release);
  // ORDER heap.address: release here, acquire in reach_exported.
  job_arena.own_slot().row().state.heap_address.store(reinterpret_cast<std::uint64_t>(base),
                                                      std::memory_order_release);
  return true;
}

bool space_for_block() {
  if (block_count < block_space) return true;
  std::size_t space = std::max<std::size_t>(16, 2 * block_space);
  auto* grown = static_cast<Block*>(std::realloc(blocks, space * sizeof(Block)));
  if (!grown) return false;
  blocks = grown;
  block_space = space;
  return true;
}

// Finds the first gap that is long enough: its offset, and the index of the block behind it.
// Returns false if there is none.
bool find_gap(std::uint64_t bytes, std::uint64_t alignment, Block* found, std::size_t* index) {
  std::uint64_t start = 0;
  for (std::size_t i = 0; i <= block_count; ++i) {
    std::uint64_t base = reinterpret_cast<std::uint64_t>(own());
    std::uint64_t offset = round_up(base + start, alignment) - base;
    std::uint64_t end = i < block_count ? blocks[i].offset : blocks_bytes;
    if (offset <= end && end - offset >= bytes) {
      *found = {offset, bytes, false};
      *index = i;
      return true;
    }
    if (i < block_count) start = blocks[i].offset + blocks[i].bytes;
  }
  return false;
}

BATON_COLD char* map_peer(std::uint32_t owner) {
  platform::Guard guard(peer_lock);
  // relaxed: it is only changed under this lock.
  char** bases = peer_bases.load(std::memory_order_relaxed);
  if (!bases) bases = static_cast<char**>(std::calloc(job_arena.slots, sizeof(char*)));
  if (!bases) return nullptr;
  // ORDER heap.peer: release here, acquire in reach_exported.
  peer_bases.store(bases, std::memory_order_release);
  if (!bases[owner]) {
    char* base = map_part(owner);
    // ORDER heap.peer: release here, acquire in reach_exported.
    std::atomic_ref(bases[owner]).store(base ? base : &unreachable, std::memory_order_release);
  }
  return bases[owner];
}

// Gives the block memory, on the nodes of `policy` if there is one. Returns false without an error
// if there is no memory.
bool reserve_block(Block& block, const NumaPolicy* policy, Error* error) {
  std::uint64_t offset = part_of(job_arena.own) + block.offset;
  bool reserved = false;
  if (BATON_LIKELY(!policy)) {
    reserved = platform::reserve_memory(job_file(), offset, block.bytes);
  } else {
    *error = place_and_reserve({own() + block.offset, block.bytes, job_file(), offset}, *policy,
                               &reserved);
    block.placed = policy->word != MemoryWord::none;
  }
  if (!reserved) platform::release_memory(job_file(), offset, block.bytes);
  return reserved;
}

}  // namespace

Error allocate_exported(std::size_t bytes, std::size_t alignment, const NumaPolicy* policy,
                        bool reserved, void** memory) {
  *memory = nullptr;
  // Reserving writes zeros. That is too much work for a block that may hardly be touched, unless
  // its place has to be certain.
  constexpr std::size_t exported_bytes_max = std::size_t{1} << 30;  // guess
  bool certain = policy && policy->strict;
  if (reserved && !certain && bytes > exported_bytes_max) return MPI_SUCCESS;
  platform::Guard guard(own_lock);
  if (!map_own() || bytes > blocks_bytes || !space_for_block()) return MPI_SUCCESS;
  bool huge = policy && policy->huge && bytes >= huge_page_bytes;
  std::uint64_t unit = huge ? huge_page_bytes : page_bytes;
  Block block;
  std::size_t position;
  Error error = MPI_SUCCESS;
  if (!find_gap(round_up(bytes, unit), std::max<std::uint64_t>(alignment, unit), &block, &position))
    return MPI_SUCCESS;
  if (reserved && !reserve_block(block, policy, &error)) return error;
  std::memmove(blocks + position + 1, blocks + position, (block_count - position) * sizeof(Block));
  blocks[position] = block;
  ++block_count;
  *memory = own() + block.offset;
  platform::set_dumped(*memory, block.bytes, true);
  if (BATON_UNLIKELY(job_arena.job->memory_report)) note_block(own() + block.offset, block.bytes);
  return MPI_SUCCESS;
}

bool release_exported(void* address) {
  platform::Guard guard(own_lock);
  auto offset = static_cast<std::uint64_t>(static_cast<char*>(address) - own());
  for (std::size_t i = 0; i < block_count; ++i) {
    if (blocks[i].offset != offset) continue;
    if (!outlived) {
      if (BATON_UNLIKELY(job_arena.job->memory_report))
        forget_block(own() + offset, blocks[i].bytes);
      platform::release_memory(job_file(), part_of(job_arena.own) + offset, blocks[i].bytes);
      platform::set_dumped(own() + offset, blocks[i].bytes, false);
      if (blocks[i].placed) forget_policy(own() + offset, blocks[i].bytes);
    }
    --block_count;
    std::memmove(blocks + i, blocks + i + 1, (block_count - i) * sizeof(Block));
    return true;
  }
  return false;
}

char* map_program_heap(std::uint64_t* offset) {
  platform::Guard guard(own_lock);
  if (!map_own()) return nullptr;
  *offset = part_of(job_arena.own) + blocks_bytes;
  return own() + blocks_bytes;
}

bool is_exported(const void* address) {
  char* base = own();
  return base && reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(base) <
                     own_bytes;
}

char* reach_exported(Slot owner, const void* address) {
  // ORDER heap.address: acquire here, release in map_own; other arenas have no heaps, and 0 here.
  std::uint64_t base = owner.row().state.heap_address.load(std::memory_order_acquire);
  std::uint64_t offset = reinterpret_cast<std::uint64_t>(address) - base;
  if (BATON_LIKELY(base == 0 || offset >= job_arena.job->heap_bytes)) return nullptr;
  // ORDER heap.peer: acquire here, release in map_peer.
  char** bases = peer_bases.load(std::memory_order_acquire);
  char* here =
      bases ? std::atomic_ref(bases[owner.index]).load(std::memory_order_acquire) : nullptr;
  if (!here) here = map_peer(owner.index);
  return here && here != &unreachable ? here + offset : nullptr;
}

void detach_heap() {
  // relaxed: no other thread is in the library any more.
  char** bases = peer_bases.exchange(nullptr, std::memory_order_relaxed);
  for (std::uint32_t i = 0; bases && i < job_arena.slots; ++i)
    if (bases[i] && bases[i] != &unreachable)
      platform::unmap_memory(bases[i], job_arena.job->heap_bytes);
  std::free(bases);
  outlived = block_count > 0;
  if (outlived || !own()) return;
  platform::unmap_memory(own_base.exchange(nullptr, std::memory_order_relaxed), own_bytes);
}

}  // namespace baton::transport
