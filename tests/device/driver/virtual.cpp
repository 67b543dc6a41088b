// Memory of virtual memory management that is shared by descriptors: each is a memory file of its
// own.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "driver.hpp"

namespace standin {

namespace {

// A handle of cuMemRetainAllocationHandle or of an import; its file is its own.
struct Memory {
  int file;
};
std::map<std::uint64_t, Memory> memories;
std::uint64_t last_memory;
std::map<std::uintptr_t, std::size_t> reserved;
long mappings;

std::uint64_t add_memory(int file) {
  memories[++last_memory] = {file};
  return last_memory;
}

}  // namespace

bool make_shareable(Block& block) {
  block.start = take_addresses(block.bytes);
  block.file = ::memfd_create("shareable", MFD_CLOEXEC);
  if (!block.start || block.file < 0 || ::ftruncate(block.file, static_cast<off_t>(block.bytes)))
    return false;
  void* view = ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, block.file, 0);
  block.view = static_cast<char*>(view);
  return view != MAP_FAILED;
}

void drop_mapping(const Block& block) {
  ::munmap(block.view, block.bytes);
  if (block.kind == standin_mapped) {
    --mappings;
    return;
  }
  ::close(block.file);
  give_addresses_back(block.start, block.bytes);
}

long mapping_count() {
  return mappings + static_cast<long>(memories.size() + reserved.size());
}

}  // namespace standin

using namespace standin;

STANDIN_CALL cuMemRetainAllocationHandle(std::uint64_t* memory, void* address) {
  STANDIN_READY;
  const Block* block = find_block(reinterpret_cast<std::uintptr_t>(address));
  if (!block || block->kind != standin_shareable) return invalid_value;
  *memory = add_memory(::fcntl(block->file, F_DUPFD_CLOEXEC, 0));
  return success;
}

STANDIN_CALL cuMemRelease(std::uint64_t memory) {
  STANDIN_READY;
  if (!memories.count(memory)) return invalid_value;
  ::close(memories[memory].file);
  memories.erase(memory);
  return success;
}

STANDIN_CALL cuMemExportToShareableHandle(void* descriptor, std::uint64_t memory, unsigned type,
                                          std::uint64_t) {
  STANDIN_READY;
  if (!memories.count(memory) || type != 1 || fault("STANDIN_NO_EXPORT")) return invalid_value;
  *static_cast<int*>(descriptor) = ::dup(memories[memory].file);
  return success;
}

STANDIN_CALL cuMemImportFromShareableHandle(std::uint64_t* memory, void* descriptor,
                                            unsigned type) {
  STANDIN_READY;
  const auto file = static_cast<int>(reinterpret_cast<std::uintptr_t>(descriptor));
  struct stat status;
  if (type != 1 || ::fstat(file, &status) != 0 || fault("STANDIN_NO_OPEN")) return invalid_value;
  *memory = add_memory(::fcntl(file, F_DUPFD_CLOEXEC, 0));
  return success;
}

STANDIN_CALL cuMemAddressReserve(std::uint64_t* address, std::size_t bytes, std::size_t,
                                 std::uint64_t, std::uint64_t) {
  STANDIN_READY;
  if (bytes == 0 || bytes % page_bytes) return invalid_value;
  *address = take_addresses(bytes);
  if (!*address) return out_of_memory;
  reserved[*address] = bytes;
  return success;
}

STANDIN_CALL cuMemAddressFree(std::uint64_t address, std::size_t bytes) {
  STANDIN_READY;
  if (!reserved.count(address) || reserved[address] != bytes || find_block(address))
    return invalid_value;
  reserved.erase(address);
  give_addresses_back(address, bytes);
  return success;
}

STANDIN_CALL cuMemMap(std::uint64_t address, std::size_t bytes, std::size_t offset,
                      std::uint64_t memory, std::uint64_t) {
  STANDIN_READY;
  struct stat status;
  if (!memories.count(memory) || !reserved.count(address) || reserved[address] != bytes ||
      find_block(address) || offset != 0 || ::fstat(memories[memory].file, &status) != 0 ||
      static_cast<std::size_t>(status.st_size) != bytes)
    return invalid_value;
  void* view = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memories[memory].file, 0);
  if (view == MAP_FAILED) return out_of_memory;
  Block block{};
  block.start = address;
  block.bytes = bytes;
  block.view = static_cast<char*>(view);
  block.id = ++state.last_id;
  block.kind = standin_mapped;
  state.blocks[address] = block;
  ++mappings;
  return success;
}

STANDIN_CALL cuMemUnmap(std::uint64_t address, std::size_t bytes) {
  STANDIN_READY;
  const Block* block = find_block(address);
  if (!block || block->kind != standin_mapped || block->bytes != bytes) return invalid_value;
  drop_block(address);
  return success;
}

STANDIN_CALL cuMemSetAccess(std::uint64_t address, std::size_t bytes, const int* access,
                            std::size_t count) {
  STANDIN_READY;
  const Block* block = find_block(address);
  const bool fits = block && block->kind == standin_mapped && block->bytes == bytes;
  return fits && count == 1 && access[0] == 1 && access[2] == 3 ? success : invalid_value;
}
