// NVIDIA's devices, by the driver library that the program has loaded (cuda_functions.hpp).
// Contexts are the program's: each copy is made in the context that owns the memory, with two
// streams of our own in each, which wait for no other stream (CU_STREAM_NON_BLOCKING). So whatever
// the program does with a buffer on streams of its own must be over before it hands it to MPI.
#pragma once

#include "platform/device/accelerator.hpp"
#include "platform/device/cuda_functions.hpp"
#include "platform/lock.hpp"

namespace baton::platform::cuda {

class Driver final : public Accelerator {
 public:
  // Uses the driver library, of dlopen. Returns the name of a function that it lacks; null: it can
  // be used.
  const char* use(void* library) { return find_functions(library, functions_); }

  const char* name() const override { return "cuda"; }
  bool describe(const void* address, DeviceRange& range) override;
  bool tell_id(const void* address, std::uint64_t* id) override;
  const char* begin_copy(void* context, DeviceLane lane, const PlaneCopy& copy) override;
  const char* finish(void* context, DeviceLane lane) override;
  const char* mark(void* context, void** mark) override;
  CopyState look(void* context, void* mark, const char** why) override;
  const char* export_range(const DeviceRange& range, DeviceHandle& handle) override;
  const char* open(void* context, const DeviceHandle& handle, void** mapped) override;
  void close(void* context, void* mapped) override;
  void give_back() override;

 private:
  // These we have made in a context of the program.
  struct Used {
    Context context = nullptr;
    std::uint64_t id = 0;  // of the context: another one may have its address later
    Stream streams[device_lanes] = {};
    static constexpr int marks_kept = 64;
    Event spare[marks_kept];
    int spare_count = 0;
  };
  // A primary context that we keep alive, for memory that belongs to none.
  struct Primary {
    Device device;
    Context context;
  };
  class Current;

  const char* words(Result result) const;
  Context context_for(Device device);
  Used* used(Context context);
  const char* stream_of(Context context, DeviceLane lane, Stream* stream);

  Functions functions_{};
  // guess: programs have one context for each device that they use.
  static constexpr int contexts_max = 32;
  Used used_[contexts_max];
  int used_count_ = 0;
  Primary primaries_[contexts_max];
  int primary_count_ = 0;
  Lock lock_;
};

}  // namespace baton::platform::cuda
