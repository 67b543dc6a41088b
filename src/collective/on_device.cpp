#include "collective/on_device.hpp"

#include "platform/device/device_reduce.hpp"

namespace baton::collective {

void* OnDevice::take(Chunk& chunk, std::size_t bytes) {
  void* memory = platform::device_scratch.take(beside_, bytes);
  if (!memory) return nullptr;
  chunk = {chunks_, memory};
  chunks_ = &chunk;
  return memory;
}

void OnDevice::end() {
  beside_ = nullptr;
  for (; chunks_; chunks_ = chunks_->next) platform::device_scratch.give_back(chunks_->memory);
}

}  // namespace baton::collective
