#include "transport/heap.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "platform/device/device_memory.hpp"
#include "platform/device/host_registrations.hpp"
#include "platform/memory_file.hpp"
#include "platform/valgrind.hpp"
#include "transport/placing.hpp"

namespace baton::transport {

constinit ExportedHeap exported_heap;

namespace {

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

}  // namespace

// Maps this rank's part. The caller holds the lock that protects everything about it.
bool ExportedHeap::map_own() {
  if (outlived_ || !job_arena.job || job_arena.job->heap_bytes == 0) return false;
  if (own()) return true;
  // Under valgrind the program's malloc gives the memory instead: valgrind then knows the blocks,
  // and its leak checker does not read all of the address space.
  if (platform::runs_under_valgrind()) return false;
  char* base = map_part(job_arena.own);
  if (!base) return false;
  own_bytes_ = job_arena.job->heap_bytes;
  platform::device_memory.host_ranges.note(base, own_bytes_);
  blocks_bytes_ = own_bytes_ - job_arena.job->program_heap_bytes;
  // ORDER heap.own: release here, acquire in own; its length.
  own_base_.store(base, std::memory_order_release);
  // ORDER heap.address: release here, acquire in reach.
  job_arena.own_slot().row().state.heap_address.store(reinterpret_cast<std::uint64_t>(base),
                                                      std::memory_order_release);
  return true;
}

bool ExportedHeap::space_for_block() {
  if (block_count_ < block_space_) return true;
  std::size_t space = std::max<std::size_t>(16, 2 * block_space_);
  auto* grown = static_cast<Block*>(std::realloc(blocks_, space * sizeof(Block)));
  if (!grown) return false;
  blocks_ = grown;
  block_space_ = space;
  return true;
}

// Finds the first gap that is long enough: its offset, and the index of the block behind it.
// Returns false if there is none.
bool ExportedHeap::find_gap(std::uint64_t bytes, std::uint64_t alignment, Block* found,
                            std::size_t* index) {
  std::uint64_t start = 0;
  for (std::size_t i = 0; i <= block_count_; ++i) {
    std::uint64_t base = reinterpret_cast<std::uint64_t>(own());
    std::uint64_t offset = round_up(base + start, alignment) - base;
    std::uint64_t end = i < block_count_ ? blocks_[i].offset : blocks_bytes_;
    if (offset <= end && end - offset >= bytes) {
      *found = {offset, bytes, false};
      *index = i;
      return true;
    }
    if (i < block_count_) start = blocks_[i].offset + blocks_[i].bytes;
  }
  return false;
}

BATON_COLD char* ExportedHeap::map_peer(std::uint32_t owner) {
  platform::Guard guard(peer_lock_);
  // relaxed: it is only changed under this lock.
  char** bases = peer_bases_.load(std::memory_order_relaxed);
  if (!bases) bases = static_cast<char**>(std::calloc(job_arena.slots, sizeof(char*)));
  if (!bases) return nullptr;
  // ORDER heap.peer: release here, acquire in reach.
  peer_bases_.store(bases, std::memory_order_release);
  if (!bases[owner]) {
    char* base = map_part(owner);
    // ORDER heap.peer: release here, acquire in reach.
    std::atomic_ref(bases[owner]).store(base ? base : &unreachable_, std::memory_order_release);
  }
  return bases[owner];
}

// Gives the block memory, on the nodes of `policy` if there is one. Returns false without an error
// if there is no memory.
bool ExportedHeap::reserve_block(Block& block, const NumaPolicy* policy, Error* error) {
  std::uint64_t offset = part_of(job_arena.own) + block.offset;
  bool reserved = false;
  if (BATON_LIKELY(!policy)) {
    reserved = platform::reserve_memory(job_file(), offset, block.bytes);
  } else {
    *error = placing.reserve({own() + block.offset, block.bytes, job_file(), offset}, *policy,
                             &reserved);
    block.placed = policy->word != MemoryWord::none;
  }
  if (!reserved) platform::release_memory(job_file(), offset, block.bytes);
  return reserved;
}

Error ExportedHeap::allocate(std::size_t bytes, std::size_t alignment, const NumaPolicy* policy,
                             bool reserved, void** memory) {
  *memory = nullptr;
  // Reserving writes zeros. That is too much work for a block that may hardly be touched, unless
  // its place has to be certain.
  constexpr std::size_t exported_bytes_max = std::size_t{1} << 30;  // guess
  bool certain = policy && policy->strict;
  if (reserved && !certain && bytes > exported_bytes_max) return MPI_SUCCESS;
  platform::Guard guard(own_lock_);
  if (!map_own() || bytes > blocks_bytes_ || !space_for_block()) return MPI_SUCCESS;
  bool huge = policy && policy->huge && bytes >= huge_page_bytes;
  std::uint64_t unit = huge ? huge_page_bytes : page_bytes;
  Block block;
  std::size_t position;
  Error error = MPI_SUCCESS;
  if (!find_gap(round_up(bytes, unit), std::max<std::uint64_t>(alignment, unit), &block, &position))
    return MPI_SUCCESS;
  if (reserved && !reserve_block(block, policy, &error)) return error;
  std::memmove(blocks_ + position + 1, blocks_ + position,
               (block_count_ - position) * sizeof(Block));
  blocks_[position] = block;
  ++block_count_;
  *memory = own() + block.offset;
  platform::set_dumped(*memory, block.bytes, true);
  if (BATON_UNLIKELY(job_arena.job->memory_report)) pages.add(own() + block.offset, block.bytes);
  return MPI_SUCCESS;
}

bool ExportedHeap::release(void* address) {
  if (contains(address)) platform::host_registrations.forget(address);
  platform::Guard guard(own_lock_);
  auto offset = static_cast<std::uint64_t>(static_cast<char*>(address) - own());
  for (std::size_t i = 0; i < block_count_; ++i) {
    if (blocks_[i].offset != offset) continue;
    if (!outlived_) {
      if (BATON_UNLIKELY(job_arena.job->memory_report))
        pages.subtract(own() + offset, blocks_[i].bytes);
      platform::release_memory(job_file(), part_of(job_arena.own) + offset, blocks_[i].bytes);
      platform::set_dumped(own() + offset, blocks_[i].bytes, false);
      if (blocks_[i].placed) forget_policy(own() + offset, blocks_[i].bytes);
    }
    --block_count_;
    std::memmove(blocks_ + i, blocks_ + i + 1, (block_count_ - i) * sizeof(Block));
    return true;
  }
  return false;
}

bool ExportedHeap::find_block(const void* address, char** start, std::size_t* bytes) {
  if (!contains(address)) return false;
  platform::Guard guard(own_lock_);
  const auto offset = static_cast<std::uint64_t>(static_cast<const char*>(address) - own());
  for (std::size_t i = 0; i < block_count_; ++i) {
    if (offset - blocks_[i].offset >= blocks_[i].bytes) continue;
    *start = own() + blocks_[i].offset;
    *bytes = blocks_[i].bytes;
    return true;
  }
  return false;
}

char* ExportedHeap::map_program_part(std::uint64_t* offset) {
  platform::Guard guard(own_lock_);
  if (!map_own()) return nullptr;
  *offset = part_of(job_arena.own) + blocks_bytes_;
  return own() + blocks_bytes_;
}

bool ExportedHeap::contains(const void* address) const {
  char* base = own();
  return base && reinterpret_cast<std::uint64_t>(address) - reinterpret_cast<std::uint64_t>(base) <
                     own_bytes_;
}

char* ExportedHeap::reach(Slot owner, const void* address) {
  // ORDER heap.address: acquire here, release in map_own; other arenas have no heaps, and 0 here.
  std::uint64_t base = owner.row().state.heap_address.load(std::memory_order_acquire);
  std::uint64_t offset = reinterpret_cast<std::uint64_t>(address) - base;
  if (BATON_LIKELY(base == 0 || offset >= job_arena.job->heap_bytes)) return nullptr;
  // ORDER heap.peer: acquire here, release in map_peer.
  char** bases = peer_bases_.load(std::memory_order_acquire);
  char* here =
      bases ? std::atomic_ref(bases[owner.index]).load(std::memory_order_acquire) : nullptr;
  if (!here) here = map_peer(owner.index);
  return here && here != &unreachable_ ? here + offset : nullptr;
}

void ExportedHeap::detach() {
  // relaxed: no other thread is in the library any more.
  char** bases = peer_bases_.exchange(nullptr, std::memory_order_relaxed);
  for (std::uint32_t i = 0; bases && i < job_arena.slots; ++i)
    if (bases[i] && bases[i] != &unreachable_)
      platform::unmap_memory(bases[i], job_arena.job->heap_bytes);
  std::free(bases);
  outlived_ = block_count_ > 0;
  if (outlived_ || !own()) return;
  platform::unmap_memory(own_base_.exchange(nullptr, std::memory_order_relaxed), own_bytes_);
}

}  // namespace baton::transport
