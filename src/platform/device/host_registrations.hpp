// Host memory that is registered with a device's driver, which copies from and to it at full speed
// (on an H200 at 54 GB/s; other memory 9 to 14). Only memory that this process knows the life of
// is: staging of messages, and blocks of its own exported heap. Each is registered when data of a
// device first goes through it, as a whole; what the driver refuses goes on as before. Invariant:
// memory is unregistered before its pages are given back.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/lock.hpp"

namespace baton::platform {

struct HostRange {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  bool contains(std::uintptr_t address) const { return address - start < end - start; }
};

class HostRegistrations {
 public:
  // Finds the memory that may be registered around an address; false: there is none. Set by
  // transport/, which has it.
  using FindMemory = bool (*)(const void* address, HostRange* range);
  void use(FindMemory find_memory) { find_ = find_memory; }

  // Registers the memory where bytes lie that a device is about to copy, if it may be and is not.
  // Any thread.
  void prepare(void* context, const void* address, std::size_t bytes);
  // Finds the memory that is registered and holds all of these bytes; false: none does.
  bool find(const void* address, std::size_t bytes, HostRange* range);
  // The memory that begins at an address is about to be given back.
  void forget(const void* start);
  // Unregisters all.
  void end();

 private:
  struct Registered {
    HostRange range;
    void* context = nullptr;  // null: the driver has refused
  };
  // guess: the staging of the ranks of a node, and some blocks. More go unregistered.
  static constexpr int ranges_max = 256;

  bool knows(std::uintptr_t address);
  void drop(Registered& one);

  FindMemory find_ = nullptr;
  Registered ranges_[ranges_max] = {};
  int count_ = 0;
  int latest_ = 0;
  Lock lock_;
};

extern HostRegistrations host_registrations;

}  // namespace baton::platform
