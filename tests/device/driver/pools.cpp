// Memory of pools. A device's default pool is in the space of all memory, and no other process
// opens it. A pool that was made with descriptors has a memory file of its own, whose first page
// counts for each allocation how often other processes have it open: to free it before they have
// let go is undefined, and ends the process here.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver.hpp"

namespace standin {

namespace {

struct PoolProperties {  // CUmemPoolProps
  int allocation_type, handle_types, location_type, location;
  void* security;
  std::size_t bytes_max;
  char reserved[56];
};

struct Pool {
  int file = -1;  // -1: the default pool
  bool is_of_other = false;
  off_t used = page_bytes;
  std::atomic<int>* uses = nullptr;  // the first page
};

constexpr off_t file_bytes = off_t{1} << 34;
constexpr int allocations_max = page_bytes / sizeof(int);
std::set<Pool*> pools;
Pool default_pool;
Pool* made_by_tests;  // for standin_allocate

bool map_uses(Pool& pool) {
  void* page = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, pool.file, 0);
  pool.uses = static_cast<std::atomic<int>*>(page);
  return page != MAP_FAILED;
}

Pool* make_pool() {
  auto* pool = new Pool;
  pool->file = ::memfd_create("pool", MFD_CLOEXEC);
  if (pool->file < 0 || ::ftruncate(pool->file, file_bytes) != 0 || !map_uses(*pool)) std::abort();
  pools.insert(pool);
  return pool;
}

Pool* find_pool(void* handle) {
  auto* pool = static_cast<Pool*>(handle);
  return pools.count(pool) ? pool : nullptr;
}

// Allocations by the order in which a pool gave them; those of others have their owner's number.
struct Pooled {
  Pool* pool;
  int number;
};
std::map<std::uintptr_t, Pooled> pooled;
std::map<Pool*, int> last_number;
std::map<std::pair<Pool*, int>, std::uintptr_t> imported;

struct Name {  // CUmemPoolPtrExportData
  std::uint64_t magic, offset, bytes;
  std::int64_t number;
  char unused[32];
};
static_assert(sizeof(Name) == 64);
constexpr std::uint64_t name_magic = 0x504f4f4c50545231;

bool is_same_file(int one, int other) {
  struct stat first, second;
  return ::fstat(one, &first) == 0 && ::fstat(other, &second) == 0 && first.st_ino == second.st_ino;
}

bool map_bytes(Block& block, const Pool& pool) {
  block.start = take_addresses(block.bytes);
  void* view = ::mmap(nullptr, whole_pages(block.bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
                      pool.file, block.offset);
  block.view = static_cast<char*>(view);
  return block.start && view != MAP_FAILED;
}

}  // namespace

bool make_pooled(Block& block, void* of) {
  if (!of && !made_by_tests) made_by_tests = make_pool();
  Pool& pool = of ? *static_cast<Pool*>(of) : *made_by_tests;
  block.offset = pool.used;
  pool.used += static_cast<off_t>(whole_pages(block.bytes));
  if (pool.used > file_bytes || !map_bytes(block, pool)) return false;
  pooled[block.start] = {&pool, ++last_number[&pool] % allocations_max};
  return true;
}

void drop_pooled(const Block& block) {
  const Pooled one = pooled[block.start];
  std::atomic<int>& uses = one.pool->uses[one.number];
  if (block.kind == standin_pool_imported) {
    imported.erase({one.pool, one.number});
    --uses;
  } else if (uses != 0) {
    std::fprintf(stderr, "stand-in: memory of a pool is freed that another process has open\n");
    std::abort();
  }
  pooled.erase(block.start);
  ::munmap(block.view, whole_pages(block.bytes));
  give_addresses_back(block.start, block.bytes);
}

void* pool_of(const Block& block) {
  if (block.kind == standin_pool) return &default_pool;
  const auto found = pooled.find(block.start);
  return found == pooled.end() ? nullptr : found->second.pool;
}

// Pools of others count as imports until they are destroyed.
long pool_import_count() {
  long count = static_cast<long>(imported.size());
  for (const Pool* pool : pools) count += pool->is_of_other;
  return count;
}

}  // namespace standin

using namespace standin;

STANDIN_CALL cuMemPoolCreate(void** pool, const PoolProperties* properties) {
  STANDIN_READY;
  if (properties->allocation_type != 1 || properties->location_type != 1 ||
      properties->handle_types != 1)
    return invalid_value;
  *pool = make_pool();
  return success;
}

STANDIN_CALL cuMemPoolDestroy(void* handle) {
  STANDIN_READY;
  Pool* pool = find_pool(handle);
  if (!pool) return invalid_value;
  // Its allocations live on; the pool goes with the process.
  for (const auto& [start, one] : pooled)
    if (one.pool == pool) return pools.erase(pool), success;
  pools.erase(pool);
  ::munmap(pool->uses, page_bytes);
  ::close(pool->file);
  delete pool;
  return success;
}

STANDIN_CALL cuMemAllocFromPoolAsync(std::uint64_t* memory, std::size_t bytes, void* handle,
                                     void*) {
  STANDIN_READY;
  Pool* pool = find_pool(handle);
  if (!pool || pool->is_of_other || bytes == 0) return invalid_value;
  const Block* block =
      make_block(standin_shared_pool, bytes, reinterpret_cast<std::uintptr_t>(pool));
  if (!block) return out_of_memory;
  *memory = block->start;
  return success;
}

STANDIN_CALL cuMemPoolExportToShareableHandle(void* descriptor, void* handle, unsigned type,
                                              std::uint64_t) {
  STANDIN_READY;
  const Pool* pool = find_pool(handle);
  if (!pool || pool->is_of_other || type != 1 || fault("STANDIN_NO_EXPORT")) return invalid_value;
  *static_cast<int*>(descriptor) = ::dup(pool->file);
  return success;
}

// A process opens a pool once: some drivers refuse a second time.
STANDIN_CALL cuMemPoolImportFromShareableHandle(void** handle, void* descriptor, unsigned type,
                                                std::uint64_t) {
  STANDIN_READY;
  const auto file = static_cast<int>(reinterpret_cast<std::uintptr_t>(descriptor));
  if (type != 1 || fault("STANDIN_NO_OPEN")) return invalid_value;
  for (const Pool* other : pools)
    if (other->is_of_other && is_same_file(other->file, file)) return already_mapped;
  auto* pool = new Pool{::fcntl(file, F_DUPFD_CLOEXEC, 0), true};
  if (pool->file < 0 || !map_uses(*pool)) return delete pool, invalid_value;
  pools.insert(pool);
  *handle = pool;
  return success;
}

STANDIN_CALL cuMemPoolExportPointer(Name* name, std::uint64_t address) {
  STANDIN_READY;
  const Block* block = find_block(address);
  if (!block || block->kind != standin_shared_pool || fault("STANDIN_NO_POINTER"))
    return invalid_value;
  *name = {name_magic,
           static_cast<std::uint64_t>(block->offset),
           block->bytes,
           pooled[block->start].number,
           {}};
  return success;
}

STANDIN_CALL cuMemPoolImportPointer(std::uint64_t* address, void* handle, const Name* name) {
  STANDIN_READY;
  Pool* pool = find_pool(handle);
  if (!current_context()) return invalid_context;
  if (!pool || !pool->is_of_other || name->magic != name_magic) return invalid_value;
  const std::pair key(pool, static_cast<int>(name->number));
  if (imported.count(key)) return already_mapped;
  Block block{};
  block.bytes = name->bytes;
  block.offset = static_cast<off_t>(name->offset);
  block.kind = standin_pool_imported;
  if (!map_bytes(block, *pool)) return out_of_memory;
  block.id = ++state.last_id;
  state.blocks[block.start] = block;
  pooled[block.start] = {pool, key.second};
  imported[key] = block.start;
  ++pool->uses[key.second];
  *address = block.start;
  return success;
}

STANDIN_CALL cuMemPoolSetAccess(void* handle, const int* access, std::size_t count) {
  STANDIN_READY;
  const bool fits = count == 1 && access[0] == 1 && access[2] == 3;
  return fits && find_pool(handle) ? success : invalid_value;
}
