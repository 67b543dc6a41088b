// Handles by which other processes of this machine open allocations: the memory file of the process
// that has them is opened through /proc.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "driver.hpp"

namespace standin {

namespace {

struct Handle {
  std::uint64_t magic;
  std::int64_t process, file, offset;
  std::uint64_t bytes, id;
  char unused[16];
};
static_assert(sizeof(Handle) == 64);
constexpr std::uint64_t handle_magic = 0x5354414e44494e31;

}  // namespace

}  // namespace standin

using namespace standin;

STANDIN_CALL cuIpcGetMemHandle(Handle* handle, std::uint64_t address) {
  STANDIN_READY;
  const Block* block = find_block(address);
  if (!block || block->kind != standin_device || fault("STANDIN_NO_IPC")) return invalid_value;
  *handle = {handle_magic, ::getpid(), state.memory_file, block->offset, block->bytes,
             block->id,    {}};
  return success;
}

STANDIN_CALL cuIpcOpenMemHandle_v2(std::uint64_t* address, Handle handle, unsigned) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  if (handle.magic != handle_magic || handle.process == ::getpid()) return invalid_value;
  if (fault("STANDIN_NO_OPEN")) return out_of_memory;
  const auto key = std::pair(static_cast<pid_t>(handle.process), handle.id);
  if (state.imports.count(key)) return already_mapped;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", static_cast<int>(handle.process),
                static_cast<int>(handle.file));
  const int file = ::open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return invalid_value;
  void* view =
      ::mmap(nullptr, handle.bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, handle.offset);
  ::close(file);
  const std::uintptr_t start = take_addresses(handle.bytes);
  if (view == MAP_FAILED || !start) return out_of_memory;
  Block block{};
  block.start = start;
  block.bytes = handle.bytes;
  block.view = static_cast<char*>(view);
  block.id = ++state.last_id;
  block.kind = standin_imported;
  block.context = current_context();
  state.blocks[start] = block;
  state.imports[key] = start;
  *address = start;
  return success;
}

STANDIN_CALL cuIpcCloseMemHandle(std::uint64_t address) {
  STANDIN_READY;
  const Block* block = find_block(address);
  if (!block || block->kind != standin_imported || block->start != address) return invalid_value;
  drop_block(address);
  return success;
}
