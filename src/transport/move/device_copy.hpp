// Copies between device memory of one process of a node and memory of another one, either way. The
// owner publishes a handle of each allocation that it sends from or receives to, in its exported
// heap; the other process opens it once and keeps it open for the messages to come, by the
// allocation's id. A copy is begun here and is under way until its mark has been reached
// (message/node/device_receive.hpp and device_send.hpp look).
// Invariant: an allocation is open once in a process, since drivers refuse a second time, and is
// not closed while a copy from it is under way.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/reason.hpp"
#include "platform/device/accelerator.hpp"
#include "platform/lock.hpp"
#include "transport/move/memory.hpp"

namespace baton::transport {

// An allocation as its owner publishes it, in shared memory.
struct DeviceExport {
  std::atomic<std::uint64_t> id;  // of the allocation; 0: this is being changed, or it is gone
  std::uint64_t start;
  std::uint64_t bytes;
  platform::DeviceHandle handle;
};

// A copy that is under way.
struct DeviceCopy {
  void* context = nullptr;
  void* mark = nullptr;
  int opened = -1;  // which allocation of the other process it reaches
};

// A copy comes from the other process, or goes there.
enum class Direction : std::uint8_t { in, out };

class DeviceCopies {
 public:
  // Returns the address of the DeviceExport of the memory at `ours`, for the other process. 0: it
  // cannot be reached from there; `why` then says why, or none if it is no device's. It is called
  // before every message, so that memory that was freed is noticed. `contiguous`: the data has no
  // gaps.
  std::uint64_t offer(const void* ours, std::int64_t bytes, bool contiguous, Reason* why);
  // Begins to copy between memory that its owner has offered, in `offered`, and memory of this
  // process. False: it cannot; `why` then says why.
  bool begin(const Memory& theirs, std::uint64_t offered, void* ours, std::int64_t bytes,
             bool contiguous, Direction direction, DeviceCopy& copy, Reason* why);
  // Returns whether a copy is over. If so, it is forgotten.
  platform::CopyState look(DeviceCopy& copy);
  // Closes and frees everything. No copy is under way.
  void end();

 private:
  // An allocation of another process that is open here.
  struct Opened {
    Slot owner;
    std::uint64_t published;  // where its owner has published it
    std::uint64_t id;
    std::uint64_t start;  // there
    void* context;
    char* mapped;              // here; null: this is free
    std::size_t mapped_bytes;  // see DeviceMapping
    std::uint64_t mapped_id;   // of what lies there: with the context it was opened in it goes
    bool of_pool;              // see DeviceMapping
    int copies;                // that are under way
    std::uint64_t last_used;
  };
  static constexpr int exports_max = 256;  // guess

  DeviceExport* publish(const platform::DeviceRange& range);
  DeviceExport* place_for_export();
  char* reach(const Memory& theirs, std::uint64_t offered, void* context, Opened** opened);
  Opened* find(const Memory& theirs, std::uint64_t published, const DeviceExport& read);
  Opened* open(const Memory& theirs, std::uint64_t published, const DeviceExport& read,
               void* context);
  Opened* place_to_open();
  void close_gone(int looks);
  void close(Opened& one);
  void let_go(Opened& one);

  DeviceExport* exports_ = nullptr;  // exports_max of them
  int next_export_ = 0;
  Opened* opened_ = nullptr;  // settings.device_handles_max of them
  int next_look_ = 0;
  std::uint64_t uses_ = 0;
  platform::Lock lock_;
};

extern DeviceCopies device_copies;

}  // namespace baton::transport
