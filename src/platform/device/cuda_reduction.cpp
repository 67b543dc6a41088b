// Reductions by NVIDIA's devices: kernels of ptx.hpp, which each context loads when it first needs
// them.
#include <algorithm>

#include "platform/device/cuda.hpp"
#include "platform/device/ptx.hpp"

namespace baton::platform::cuda {

namespace {

// guess: enough to keep all processors of a device busy; each thread takes an element in turn.
constexpr unsigned threads_of_block = 256;
constexpr std::int64_t blocks_max = 2048;

}  // namespace

// Lets the driver translate a module's text for the current context's device.
const char* Driver::load_text(const char* text, const char* name, Module* module, Kernel* kernel) {
  if (!functions_.load_module || !functions_.unload_module || !functions_.get_kernel ||
      !functions_.launch)
    return "this driver loads no kernels";
  Module made = nullptr;
  if (Result result = functions_.load_module(&made, text)) return words(result);
  if (Result result = functions_.get_kernel(kernel, made, name)) {
    functions_.unload_module(made);
    return words(result);
  }
  *module = made;
  return nullptr;
}

const char* Driver::load(DeviceOperation operation, const DeviceElement& element, Loaded& loaded) {
  char text[kernel_text_bytes], name[kernel_name_bytes];
  write_kernel(operation, element, text);
  write_kernel_name(operation, element, name);
  loaded = {operation, element, nullptr, nullptr};
  return load_text(text, name, &loaded.module, &loaded.kernel);
}

// The context is current. A driver that has refused a kernel once is not asked for others.
const char* Driver::find_kernel(Context context, const DeviceReduction& reduction, Kernel* kernel) {
  Guard guard(lock_);
  Used* here = used(context);
  if (!here) return "more contexts than Baton keeps kernels for";
  for (int i = 0; i < here->kernel_count; ++i) {
    const Loaded& one = here->kernels[i];
    if (one.operation != reduction.operation || one.element != reduction.element) continue;
    *kernel = one.kernel;
    return nullptr;
  }
  if (here->refused) return here->refused;
  if (here->kernel_count == Used::kernels_max) return "more kernels than Baton keeps";
  Loaded& place = here->kernels[here->kernel_count];
  if ((here->refused = load(reduction.operation, reduction.element, place))) return here->refused;
  ++here->kernel_count;
  *kernel = place.kernel;
  return nullptr;
}

const char* Driver::begin_reduction(void* context, DeviceLane lane,
                                    const DeviceReduction& reduction) {
  if (!is_defined(reduction.operation, reduction.element))
    return "the operation is not defined on this kind of element";
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Stream stream;
  if (const char* why = stream_of(context, lane, &stream)) return why;
  Kernel kernel;
  if (const char* why = find_kernel(context, reduction, &kernel)) return why;
  DevicePointer in = pointer(reduction.in), inout = pointer(reduction.inout);
  auto count = static_cast<std::uint64_t>(reduction.count);
  void* arguments[] = {&in, &inout, &count};
  const std::int64_t blocks =
      std::min(blocks_max, (reduction.count + threads_of_block - 1) / threads_of_block);
  return words(functions_.launch(kernel, static_cast<unsigned>(blocks), 1, 1, threads_of_block, 1,
                                 1, 0, stream, arguments, nullptr));
}

}  // namespace baton::platform::cuda
