// Baton asks this of the driver of an accelerator, in terms that hold for all of them. cuda.hpp is
// the one that there is; drivers of other makers would be further classes. Whoever uses it is
// device_memory.hpp, beside it, and transport/move/device_copy.hpp. All functions may be called by
// any thread; none waits for more than this process's own copies, and none makes a context. A
// function that fails returns why, in words that stay; null: it did not fail.
#pragma once

#include <cstddef>
#include <cstdint>

#include "platform/device/device_reduction.hpp"

namespace baton::platform {

// Memory that a driver knows, and that is no plain host memory.
enum class DevicePlace : std::uint8_t {
  device,  // no processor may touch it
  managed  // moves between device and host; the processor may touch it
};

// One allocation, or what the driver says of a place in it.
struct DeviceRange {
  std::uintptr_t start = 0;
  std::uintptr_t end = 0;
  std::uint64_t id = 0;     // no other allocation of this process has it, at any time
  void* context = nullptr;  // copies are made in it
  int device = 0;
  DevicePlace place = DevicePlace::device;
  bool may_export = false;     // other processes may open it
  bool by_descriptor = false;  // and do so by a descriptor of this process
  // It is of a pool that they may open. They let go of it before it is freed, so at the end of each
  // copy.
  bool of_pool = false;
};

// Names an allocation to other processes of this machine: by the driver's bytes, by a descriptor of
// its process, or by both: bytes that name it in a pool that has the descriptor.
struct DeviceHandle {
  unsigned char bytes[64];
  std::uint64_t length;   // of an allocation with a descriptor; 0: it has none
  std::uint32_t of_pool;  // 1: it is of a pool
  std::int32_t process;   // that has the descriptor
  std::int32_t descriptor;
};
// An allocation of another process, as it is mapped here.
struct DeviceMapping {
  void* address;
  std::size_t bytes;  // of one by a descriptor; else 0
  bool of_pool;
};

// A copy of rows at equal distances: at least one, each of so many bytes.
struct PlaneCopy {
  char* to;
  const char* from;
  std::size_t bytes;
  std::size_t to_step;
  std::size_t from_step;
  std::size_t rows;
  // These say which side is a device's, if there are several rows, or the copy waits in a list
  // (plane_list.hpp); else the driver finds out.
  bool to_device = true;
  bool from_device = true;
};

// Kernels read such a copy in this form: each row is so many words, of 1, 2, 4 or 8 bytes, to which
// both sides and their steps are aligned. Addresses are those of the device.
struct KernelPlane {
  std::uint64_t to;
  std::uint64_t from;
  std::uint64_t words;
  std::uint64_t rows;
  std::uint64_t to_step;
  std::uint64_t from_step;
  std::uint64_t word_bytes;
  std::uint64_t unused;
};
// How the threads of a kernel divide planes: so many work on the words of a row, others on further
// rows of the same plane.
struct PlaneThreads {
  unsigned planes;         // at most 65535
  unsigned row_threads;    // a power of two, at most 256
  std::uint64_t rows_max;  // of a plane
};

// The streams that a context's copies go through: those that a call waits for at once, and those
// that messages wait for.
enum class DeviceLane : std::uint8_t { at_once, messages };
inline constexpr int device_lanes = 2;

enum class CopyState : std::uint8_t { under_way, done, failed };

class Accelerator {
 public:
  // The word by which the kinds of its memory begin (MPI 5.0, "Memory Allocation Info").
  virtual const char* name() const = 0;

  // Describes the allocation that an address lies in. False: it is host memory, pinned or not, or
  // no memory at all.
  virtual bool describe(const void* address, DeviceRange& range) = 0;
  // Tells the id of the allocation that lies at an address now; 0: none does. Quicker than
  // `describe` where one does. False: the driver does not answer any more, as after a fault.
  virtual bool tell_id(const void* address, std::uint64_t* id) = 0;

  // Returns a context for copies to host memory: the thread's own, else one that the program has;
  // null: it has none.
  virtual void* own_context() = 0;
  // Begins a copy in a context; either side may be host memory.
  virtual const char* begin_copy(void* context, DeviceLane lane, const PlaneCopy& copy) = 0;
  // Waits for all copies of the lane in this context.
  virtual const char* finish(void* context, DeviceLane lane) = 0;
  // Makes a mark behind all copies that have begun in the lane of messages.
  virtual const char* mark(void* context, void** mark) = 0;
  // Returns whether a mark has been reached. If it is not under way any more, the mark is gone.
  virtual CopyState look(void* context, void* mark, const char** why) = 0;

  // Begins a reduction in a context, in whose reach both operands lie, each aligned as its elements
  // are. The first one of its kind in a context takes long (85 ms on an H200): the device's code is
  // made.
  virtual const char* begin_reduction(void* context, DeviceLane lane,
                                      const DeviceReduction& reduction) = 0;

  // Makes a context ready for `begin_planes`. The first time takes as long as the first reduction.
  virtual const char* load_planes(void* context) = 0;
  // Begins copies of planes in a context by a kernel, which reaches all that they name, and the
  // planes themselves, by these addresses. It goes wrong, with the context, where it does not.
  virtual const char* begin_planes(void* context, DeviceLane lane, std::uint64_t planes,
                                   const PlaneThreads& threads) = 0;
  // Tells by which address kernels of a context reach host memory. It fails unless the memory is
  // registered now.
  virtual const char* reach_host(void* context, void* memory, std::uint64_t* address) = 0;

  // Takes memory of a context's device, and gives it back.
  virtual const char* allocate(void* context, std::size_t bytes, void** memory) = 0;
  virtual void release(void* context, void* memory) = 0;

  // Makes what a network's adapter has written into memory of a context visible to all that its
  // device begins from now on.
  virtual void flush_writes(void* context) = 0;

  // Registers host memory, so that devices copy from and to it at full speed; whole pages. While it
  // is registered it stays mapped.
  virtual const char* register_host(void* context, void* memory, std::size_t bytes) = 0;
  virtual void unregister_host(void* context, void* memory) = 0;

  // Names the allocation that begins at range.start to other processes.
  virtual const char* export_range(const DeviceRange& range, DeviceHandle& handle) = 0;
  // Lets a name go: others may not open it any more.
  virtual void forget_export(const DeviceHandle& handle) = 0;
  // Maps an allocation of another process where this context's copies reach it; and unmaps it.
  virtual const char* open(void* context, const DeviceHandle& handle, DeviceMapping* mapped) = 0;
  virtual void close(void* context, const DeviceMapping& mapped) = 0;

  // Gives back streams and marks, as far as their contexts still live. No copy is under way.
  virtual void give_back() = 0;

 protected:
  ~Accelerator() = default;
};

}  // namespace baton::platform
