// What devices there are (STANDIN_NAME names them otherwise), and what programs call that Baton
// does not.
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "driver.hpp"

using namespace standin;

STANDIN_CALL cuDriverGetVersion(int* version) {
  const long told = fault("STANDIN_VERSION");
  *version = told ? static_cast<int>(told) : 12040;
  return success;
}

STANDIN_CALL cuDeviceGetCount(int* count) {
  STANDIN_READY;
  *count = 2;
  return success;
}

STANDIN_CALL cuDeviceGetName(char* name, int bytes, int) {
  STANDIN_READY;
  const char* told = std::getenv("STANDIN_NAME");
  std::snprintf(name, static_cast<std::size_t>(bytes), "%s", told ? told : "Stand-in");
  return success;
}

STANDIN_CALL cuDeviceGetPCIBusId(char* bus, int bytes, int device) {
  STANDIN_READY;
  std::snprintf(bus, static_cast<std::size_t>(bytes), "0000:%02X:00.0", 0x1b + device);
  return success;
}

STANDIN_CALL cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  STANDIN_READY;
  *bytes = std::size_t{1} << 36;
  return success;
}

STANDIN_CALL cuMemGetInfo_v2(std::size_t* unused, std::size_t* all) {
  STANDIN_READY;
  std::size_t taken = 0;
  for (const auto& [start, block] : state.blocks) taken += block.bytes;
  *all = std::size_t{1} << 36;
  *unused = *all - taken;
  return success;
}

// By the addresses alone, as with unified addressing.
STANDIN_CALL cuMemcpy(std::uint64_t to, std::uint64_t from, std::size_t bytes) {
  STANDIN_READY;
  ++state.copies;
  std::memmove(touchable(to), touchable(from), bytes);
  return success;
}

STANDIN_CALL cuMemAllocAsync(std::uint64_t* memory, std::size_t bytes, void*) {
  STANDIN_READY;
  const Block* block = make_block(standin_pool, bytes, 0);
  if (!block) return out_of_memory;
  *memory = block->start;
  return success;
}

STANDIN_CALL cuMemAllocManaged(std::uint64_t* memory, std::size_t bytes, unsigned) {
  STANDIN_READY;
  const Block* block = make_block(standin_managed, bytes, 0);
  if (!block) return out_of_memory;
  *memory = block->start;
  return success;
}

STANDIN_CALL cuMemAllocHost_v2(void** memory, std::size_t bytes) {
  STANDIN_READY;
  const Block* block = make_block(standin_pinned, bytes, 0);
  if (!block) return out_of_memory;
  *memory = reinterpret_cast<void*>(block->start);
  return success;
}

STANDIN_CALL cuMemFreeHost(void* memory) {
  STANDIN_READY;
  const Block* block = find_block(reinterpret_cast<std::uintptr_t>(memory));
  if (!block || block->kind != standin_pinned) return invalid_value;
  drop_block(block->start);
  return success;
}
