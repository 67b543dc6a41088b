// Tells where a run has its intermediate data: in host memory, or in a device's while the call's
// data stays there (device_data.hpp). Algorithms ask for memory by Run::scratch and combine by
// Vector::reduce.
#pragma once

#include <cstddef>

#include "base/cache_line.hpp"

namespace baton::collective {

class OnDevice {
 public:
  bool is_on() const { return beside_ != nullptr; }
  // From here on intermediate data lies beside this place, which is a device's memory.
  void begin(const void* beside) { beside_ = beside; }
  // Gives all of it back.
  BATON_COLD void end();
  // Notes a piece of memory in a place that the run has.
  struct Chunk {
    Chunk* next;
    void* memory;
  };
  // Takes memory of the device; null: it has none. `chunk` lives as long as the run.
  BATON_COLD void* take(Chunk& chunk, std::size_t bytes);

 private:
  const void* beside_ = nullptr;
  Chunk* chunks_ = nullptr;
};

}  // namespace baton::collective
