// Copies of planes by a kernel of ptx.hpp, and the host memory that it reaches.
#include <algorithm>
#include <bit>

#include "platform/device/cuda.hpp"
#include "platform/device/ptx.hpp"

namespace baton::platform::cuda {

namespace {

// guess: as for reductions.
constexpr std::uint64_t threads_of_block = 256;
constexpr std::uint64_t blocks_max = 2048;

}  // namespace

// The context is current. A driver that has refused a kernel once is not asked for others.
const char* Driver::find_planes(Context context, Kernel* kernel) {
  Guard guard(lock_);
  Used* here = used(context);
  if (!here) return "more contexts than Baton keeps kernels for";
  if (!here->planes_module) {
    if (here->refused) return here->refused;
    here->refused =
        load_text(planes_kernel_text, planes_kernel_name, &here->planes_module, &here->planes);
    if (here->refused) return here->refused;
  }
  *kernel = here->planes;
  return nullptr;
}

const char* Driver::load_planes(void* context) {
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Kernel kernel;
  return find_planes(context, &kernel);
}

const char* Driver::begin_planes(void* context, DeviceLane lane, std::uint64_t planes,
                                 const PlaneThreads& threads) {
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  Stream stream;
  if (const char* why = stream_of(context, lane, &stream)) return why;
  Kernel kernel;
  if (const char* why = find_planes(context, &kernel)) return why;
  void* arguments[] = {&planes};
  const std::uint64_t rows_of_block =
      std::min(threads_of_block / threads.row_threads, std::bit_ceil(threads.rows_max));
  const std::uint64_t blocks = std::min((threads.rows_max + rows_of_block - 1) / rows_of_block,
                                        std::max<std::uint64_t>(1, blocks_max / threads.planes));
  return words(functions_.launch(kernel, static_cast<unsigned>(blocks), threads.planes, 1,
                                 threads.row_threads, static_cast<unsigned>(rows_of_block), 1, 0,
                                 stream, arguments, nullptr));
}

const char* Driver::reach_host(void* context, void* memory, std::uint64_t* address) {
  if (!functions_.reach_host) return "kernels of this driver reach no host memory";
  const Current current(functions_, context);
  if (current.result()) return words(current.result());
  return words(functions_.reach_host(address, memory, 0));
}

}  // namespace baton::platform::cuda
