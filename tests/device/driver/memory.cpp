// Allocations, what the driver says of addresses, and copies that a call waits for.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "driver.hpp"

namespace standin {

namespace {

constexpr std::size_t space_bytes = std::size_t{1} << 36;
constexpr int reserve_flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
constexpr unsigned char of_nobody = 0xdd;  // bytes that were freed

bool open_space() {
  if (state.space) return true;
  state.memory_file = ::memfd_create("device", MFD_CLOEXEC);
  if (state.memory_file < 0 || ::ftruncate(state.memory_file, space_bytes) != 0) return false;
  void* space = ::mmap(nullptr, space_bytes, PROT_NONE, reserve_flags, -1, 0);
  void* views =
      ::mmap(nullptr, space_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, state.memory_file, 0);
  if (space == MAP_FAILED || views == MAP_FAILED) return false;
  state.space = static_cast<char*>(space);
  state.views = static_cast<char*>(views);
  return true;
}

char* view_in_space(std::uintptr_t start) {
  return state.views + (start - reinterpret_cast<std::uintptr_t>(state.space));
}

bool is_in_space(StandinKind kind) {
  return kind == standin_device || kind == standin_pool;
}

// Memory that is not in the space: where its addresses and its bytes are.
bool place_elsewhere(Block& block, std::uintptr_t place) {
  if (block.kind == standin_shareable) return make_shareable(block);
  if (block.kind == standin_shared_pool) return make_pooled(block, reinterpret_cast<void*>(place));
  if (block.kind == standin_virtual) {
    const int fixed = place ? MAP_FIXED_NOREPLACE : 0;
    void* start = ::mmap(reinterpret_cast<void*>(place), block.bytes, PROT_NONE,
                         reserve_flags | fixed, -1, 0);
    void* view = ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, reserve_flags, -1, 0);
    if (start == MAP_FAILED || view == MAP_FAILED) return false;
    block.start = reinterpret_cast<std::uintptr_t>(start);
    block.view = static_cast<char*>(view);
    return true;
  }
  void* memory = reinterpret_cast<void*>(place);
  if (!place)
    memory =
        ::mmap(nullptr, block.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  block.start = reinterpret_cast<std::uintptr_t>(memory);
  block.view = static_cast<char*>(memory);
  return true;
}

}  // namespace

std::uintptr_t take_addresses(std::size_t bytes) {
  if (!open_space()) return 0;
  bytes = whole_pages(bytes) + page_bytes;  // a page of nobody lies between
  // What was freed last is used first: new memory lies where old memory was.
  for (auto gap = state.gaps.begin(); gap != state.gaps.end(); ++gap)
    if (gap->second == bytes) {
      const std::uintptr_t start = gap->first;
      state.gaps.erase(gap);
      return start;
    }
  if (bytes > space_bytes - state.used) return 0;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(state.space) + state.used;
  state.used += bytes;
  return start;
}

void give_addresses_back(std::uintptr_t start, std::size_t bytes) {
  state.gaps[start] = whole_pages(bytes) + page_bytes;
}

bool is_host(const Block& block) {
  return block.kind == standin_pinned || block.kind == standin_registered;
}

std::uint64_t reached(std::uintptr_t address) {
  return address + (std::uint64_t{1} << 62);
}

Block* find_block(std::uintptr_t address) {
  auto next = state.blocks.upper_bound(address);
  if (next == state.blocks.begin()) return nullptr;
  Block& block = std::prev(next)->second;
  return address - block.start < block.bytes ? &block : nullptr;
}

char* touchable(std::uintptr_t address) {
  const Block* block = find_block(address);
  return block ? block->view + (address - block->start) : reinterpret_cast<char*>(address);
}

Block* make_block(StandinKind kind, std::size_t bytes, std::uintptr_t place) {
  Block block{};
  block.kind = kind;
  block.bytes = bytes;
  block.is_mapped = kind == standin_pinned;
  if (is_in_space(kind)) {
    block.start = take_addresses(bytes);
    if (!block.start) return nullptr;
    block.view = view_in_space(block.start);
    block.offset = block.view - state.views;
  } else {
    if (kind != standin_registered && kind != standin_shared_pool) block.bytes = whole_pages(bytes);
    if (!place_elsewhere(block, place)) return nullptr;
  }
  block.id = ++state.last_id;
  const bool has_context = kind != standin_pool && kind != standin_virtual &&
                           kind != standin_shareable && kind != standin_shared_pool;
  block.context = has_context ? current_context() : nullptr;
  return &(state.blocks[block.start] = block);
}

void drop_block(std::uintptr_t start) {
  const Block block = state.blocks[start];
  state.blocks.erase(start);
  if (is_in_space(block.kind)) {
    std::memset(block.view, of_nobody, block.bytes);
    give_addresses_back(block.start, block.bytes);
  } else if (block.kind == standin_virtual) {
    ::munmap(block.view, block.bytes);
    ::munmap(reinterpret_cast<void*>(block.start), block.bytes);
  } else if (block.kind == standin_imported) {
    ::munmap(block.view, block.bytes);
    give_addresses_back(block.start, block.bytes);
    std::erase_if(state.imports, [&](const auto& import) { return import.second == start; });
  } else if (block.kind == standin_shareable || block.kind == standin_mapped) {
    drop_mapping(block);
  } else if (block.kind == standin_shared_pool || block.kind == standin_pool_imported) {
    drop_pooled(block);
  } else if (block.kind != standin_registered) {
    ::munmap(block.view, block.bytes);
  }
}

namespace {

// The attributes that this driver knows, as in the documentation's enum CUpointer_attribute.
enum {
  of_context = 1,
  of_type = 2,
  of_id = 7,
  of_managed = 8,
  of_device = 9,
  of_ipc = 10,
  of_start = 11,
  of_size = 12,
  of_handle_types = 14,
  of_pool = 17
};

bool fill_attribute(int attribute, const Block& block, void* value) {
  const bool may_export = block.kind == standin_device;
  switch (attribute) {
    case of_context:
      *static_cast<void**>(value) = block.context;
      return true;
    case of_type:
      *static_cast<unsigned*>(value) = is_host(block) ? 1 : 2;
      return true;
    case of_id:
      *static_cast<std::uint64_t*>(value) = block.id;
      return true;
    case of_managed:
      *static_cast<unsigned*>(value) = block.kind == standin_managed;
      return true;
    case of_device:
      *static_cast<int*>(value) = block.context ? block.context->device : 0;
      return true;
    case of_ipc:
      *static_cast<unsigned*>(value) = may_export;
      return true;
    case of_start:
      *static_cast<std::uint64_t*>(value) = block.start;
      return true;
    case of_size:
      *static_cast<std::size_t*>(value) = block.bytes;
      return true;
    case of_handle_types:
      *static_cast<std::uint64_t*>(value) =
          block.kind == standin_shareable || block.kind == standin_shared_pool;
      return true;
    case of_pool:
      *static_cast<void**>(value) = pool_of(block);
      return true;
    default:
      return false;
  }
}

Result copy_now(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  ++state.copies;
  std::memmove(touchable(to), touchable(from), bytes);
  return success;
}

}  // namespace

}  // namespace standin

using namespace standin;

STANDIN_CALL cuPointerGetAttribute(void* value, int attribute, std::uint64_t address) {
  STANDIN_READY;
  ++state.questions;
  const Block* block = find_block(address);
  return block && fill_attribute(attribute, *block, value) ? success : invalid_value;
}

// An address that is unknown is no error here: its values are zeros.
STANDIN_CALL cuPointerGetAttributes(unsigned count, int* attributes, void** values,
                                    std::uint64_t address) {
  STANDIN_READY;
  ++state.questions;
  static const Block none{};
  const Block* block = find_block(address);
  for (unsigned i = 0; i < count; ++i) {
    if (!fill_attribute(attributes[i], block ? *block : none, values[i])) return invalid_value;
    if (!block && attributes[i] == of_type) *static_cast<unsigned*>(values[i]) = 0;
    if (!block && attributes[i] == of_ipc) *static_cast<unsigned*>(values[i]) = 0;
  }
  return success;
}

STANDIN_CALL cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  // The program's own allocations go first.
  const long most = fault("STANDIN_MEMORY_MAX");
  if (most && bytes > static_cast<std::size_t>(most)) return out_of_memory;
  const Block* block = bytes ? make_block(standin_device, bytes, 0) : nullptr;
  if (!block) return bytes ? out_of_memory : invalid_value;
  *memory = block->start;
  return success;
}

STANDIN_CALL cuFlushGPUDirectRDMAWrites(unsigned target, unsigned scope) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  if (target != 0 || scope < 100) return invalid_value;
  ++state.flushes;
  return success;
}

STANDIN_CALL cuMemFree_v2(std::uint64_t memory) {
  STANDIN_READY;
  const Block* block = find_block(memory);
  if (!block || block->start != memory || block->kind == standin_imported) return invalid_value;
  drop_block(memory);
  return success;
}

STANDIN_CALL cuMemHostRegister_v2(void* memory, std::size_t bytes, unsigned flags) {
  STANDIN_READY;
  if (fault("STANDIN_NO_REGISTER")) return out_of_memory;
  if (find_block(reinterpret_cast<std::uintptr_t>(memory))) return 712;  // registered already
  ++state.registrations;
  Block* made = make_block(standin_registered, bytes, reinterpret_cast<std::uintptr_t>(memory));
  made->is_mapped = flags & 2;
  return success;
}

STANDIN_CALL cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* memory, unsigned flags) {
  STANDIN_READY;
  const auto here = reinterpret_cast<std::uintptr_t>(memory);
  const Block* block = find_block(here);
  if (fault("STANDIN_NO_REACH") || flags || !block || !is_host(*block)) return invalid_value;
  if (!block->is_mapped) return invalid_value;
  *address = reached(here);
  return success;
}

STANDIN_CALL cuMemHostUnregister(void* memory) {
  STANDIN_READY;
  const Block* block = find_block(reinterpret_cast<std::uintptr_t>(memory));
  if (!block || block->kind != standin_registered) return 713;  // not registered
  drop_block(block->start);
  return success;
}

STANDIN_CALL cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  STANDIN_READY;
  return copy_now(to, reinterpret_cast<std::uintptr_t>(from), bytes);
}

STANDIN_CALL cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  STANDIN_READY;
  return copy_now(reinterpret_cast<std::uintptr_t>(to), from, bytes);
}

extern "C" __attribute__((visibility("default"))) void* standin_allocate(StandinKind kind,
                                                                         size_t bytes,
                                                                         void* place) {
  const std::lock_guard guard(state.lock);
  if (ready() || bytes == 0) return nullptr;
  const Block* block = make_block(kind, bytes, reinterpret_cast<std::uintptr_t>(place));
  return block ? reinterpret_cast<void*>(block->start) : nullptr;
}

extern "C" __attribute__((visibility("default"))) void* standin_view(const void* address) {
  const std::lock_guard guard(state.lock);
  return touchable(reinterpret_cast<std::uintptr_t>(address));
}
