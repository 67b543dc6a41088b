// NVIDIA's devices, by the driver library that the program has loaded (cuda_functions.hpp).
// Contexts are the program's: each copy is made in the context that owns the memory, with two
// streams of our own in each, which wait for no other stream (CU_STREAM_NON_BLOCKING). So whatever
// the program does with a buffer on streams of its own must be over before it hands it to MPI.
// Reductions are in cuda_reduction.cpp, copies by kernels in cuda_planes.cpp, memory that has
// descriptors in cuda_descriptor.cpp, that of pools in cuda_pool.cpp.
#pragma once

#include "platform/device/accelerator.hpp"
#include "platform/device/cuda_functions.hpp"
#include "platform/lock.hpp"

namespace baton::platform::cuda {

// Makes a context current, unless it is. Afterwards the program's own is current again.
class Current {
 public:
  Current(const Functions& functions, Context context) : functions_(functions) {
    Context now = nullptr;
    result_ = functions.current_context(&now);
    if (result_ != success || now == context) return;
    result_ = functions.push_context(context);
    pushed_ = result_ == success;
  }
  ~Current() {
    Context popped;
    if (pushed_) functions_.pop_context(&popped);
  }
  Current(const Current&) = delete;
  Current& operator=(const Current&) = delete;
  Result result() const { return result_; }

 private:
  const Functions& functions_;
  Result result_;
  bool pushed_ = false;
};

class Driver final : public Accelerator {
 public:
  // Uses the driver library, of dlopen. Returns the name of a function that it lacks; null: it can
  // be used.
  const char* use(void* library) { return find_functions(library, functions_); }

  const char* name() const override { return "cuda"; }
  bool describe(const void* address, DeviceRange& range) override;
  bool tell_id(const void* address, std::uint64_t* id) override;
  void* own_context() override;
  const char* begin_copy(void* context, DeviceLane lane, const PlaneCopy& copy) override;
  const char* finish(void* context, DeviceLane lane) override;
  const char* mark(void* context, void** mark) override;
  CopyState look(void* context, void* mark, const char** why) override;
  const char* begin_reduction(void* context, DeviceLane lane,
                              const DeviceReduction& reduction) override;
  const char* load_planes(void* context) override;
  const char* begin_planes(void* context, DeviceLane lane, std::uint64_t planes,
                           const PlaneThreads& threads) override;
  const char* reach_host(void* context, void* memory, std::uint64_t* address) override;
  const char* allocate(void* context, std::size_t bytes, void** memory) override;
  void release(void* context, void* memory) override;
  void flush_writes(void* context) override;
  const char* register_host(void* context, void* memory, std::size_t bytes) override;
  void unregister_host(void* context, void* memory) override;
  const char* export_range(const DeviceRange& range, DeviceHandle& handle) override;
  void forget_export(const DeviceHandle& handle) override;
  const char* open(void* context, const DeviceHandle& handle, DeviceMapping* mapped) override;
  void close(void* context, const DeviceMapping& mapped) override;
  void give_back() override;

 private:
  // A kernel of reductions (ptx.hpp), as a context has it.
  struct Loaded {
    DeviceOperation operation;
    DeviceElement element;
    Module module;
    Kernel kernel;
  };
  // These we have made in a context of the program.
  struct Used {
    Context context = nullptr;
    std::uint64_t id = 0;  // of the context: another one may have its address later
    Stream streams[device_lanes] = {};
    static constexpr int marks_kept = 64;
    Event spare[marks_kept];
    int spare_count = 0;
    // guess: programs reduce by few operations; more go through the host.
    static constexpr int kernels_max = 64;
    Loaded kernels[kernels_max];
    int kernel_count = 0;
    Module planes_module = nullptr;  // null: not loaded
    Kernel planes = nullptr;
    const char* refused = nullptr;  // why its device takes no kernels; null: it does
  };
  // A primary context that we keep alive, for memory that belongs to none.
  struct Primary {
    Device device;
    Context context;
  };

  // A pool of the program's, which other processes open by a descriptor of ours.
  struct OwnPool {
    Pool pool;
    int descriptor;  // -1: the driver gives none, as of a device's default pool
  };
  // A pool of another process, which has that descriptor of it, as it is opened here.
  struct OtherPool {
    std::int32_t process;
    std::int32_t descriptor;
    Pool pool;
  };

  const char* words(Result result) const;
  bool has_descriptor(const void* address);
  int descriptor_of_pool(const void* address);
  const char* export_pooled(const DeviceRange& range, DeviceHandle& handle);
  Result open_pool(const DeviceHandle& handle, Pool* pool);
  const char* open_pooled(const DeviceHandle& handle, DeviceMapping* mapped);
  void give_pools_back();
  const char* export_descriptor(const DeviceRange& range, DeviceHandle& handle);
  const char* open_descriptor(const DeviceHandle& handle, DeviceMapping* mapped);
  Context context_for(Device device);
  Used* used(Context context);
  const char* stream_of(Context context, DeviceLane lane, Stream* stream);
  const char* load_text(const char* text, const char* name, Module* module, Kernel* kernel);
  const char* load(DeviceOperation operation, const DeviceElement& element, Loaded& loaded);
  const char* find_planes(Context context, Kernel* kernel);
  const char* find_kernel(Context context, const DeviceReduction& reduction, Kernel* kernel);

  Functions functions_{};
  // guess: programs have one context for each device that they use.
  static constexpr int contexts_max = 32;
  Used used_[contexts_max];
  int used_count_ = 0;
  Primary primaries_[contexts_max];
  int primary_count_ = 0;
  // guess: programs make few pools.
  static constexpr int pools_max = 32;
  OwnPool own_pools_[pools_max];
  int own_pool_count_ = 0;
  OtherPool other_pools_[pools_max];
  int other_pool_count_ = 0;
  Lock lock_;
};

}  // namespace baton::platform::cuda
