// Modules and launches of kernels (kernels.hpp).
#include <cstdio>
#include <cstring>
#include <memory>

#include "driver.hpp"
#include "kernels.hpp"

namespace standin {

namespace {

constexpr Result invalid_ptx = 218;

struct Module {
  Context* context;
  Kernel kernel;
};
std::set<Module*> modules;

// What kernels of a context reach: memory of its own or of no context, and registered host memory
// by the address that cuMemHostGetDevicePointer gives.
void find_reachable(const Context* context, std::vector<Reachable>& memory) {
  for (const auto& [start, block] : state.blocks)
    if (!is_host(block) && (!block.context || block.context == context))
      memory.push_back({block.start, block.bytes, block.view});
  for (const auto& [start, block] : state.blocks)
    if (is_host(block) && block.is_mapped)
      memory.push_back({reached(block.start), block.bytes, block.view});
}

}  // namespace

void end_modules_of(const Context* context) {
  std::erase_if(modules, [&](Module* module) {
    const bool ends = module->context == context;
    if (ends) delete module;
    return ends;
  });
}
long module_count() {
  return static_cast<long>(modules.size());
}

}  // namespace standin

using namespace standin;

STANDIN_CALL cuModuleLoadData(void** handle, const void* text) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  if (fault("STANDIN_NO_KERNELS")) return invalid_ptx;
  auto* made = new Module{current_context(), {}};
  const std::string why = read_kernel(static_cast<const char*>(text), made->kernel);
  if (!why.empty()) {
    std::fprintf(stderr, "the stand-in driver refuses a kernel: %s\n", why.c_str());
    delete made;
    return invalid_ptx;
  }
  modules.insert(made);
  *handle = made;
  return success;
}

STANDIN_CALL cuModuleUnload(void* handle) {
  STANDIN_READY;
  auto* module = static_cast<Module*>(handle);
  if (!modules.erase(module)) return invalid_handle;
  delete module;
  return success;
}

STANDIN_CALL cuModuleGetFunction(void** kernel, void* handle, const char* name) {
  STANDIN_READY;
  auto* module = static_cast<Module*>(handle);
  if (!modules.count(module)) return invalid_handle;
  if (module->kernel.name != name) return not_found;
  *kernel = module;
  return success;
}

STANDIN_CALL cuLaunchKernel(void* handle, unsigned blocks_x, unsigned blocks_y, unsigned blocks_z,
                            unsigned threads_x, unsigned threads_y, unsigned threads_z, unsigned,
                            void* on, void** arguments, void** extra) {
  STANDIN_READY;
  auto* module = static_cast<Module*>(handle);
  if (!modules.count(module)) return invalid_handle;
  if (module->context != current_context()) return invalid_context;
  if (fault("STANDIN_NO_LAUNCH")) return out_of_memory;
  if (!blocks_x || !blocks_y || blocks_y > 65535 || blocks_z != 1 || !threads_x || !threads_y ||
      threads_x * threads_y > 1024 || threads_z != 1 || extra)
    return invalid_value;
  Stream* stream = nullptr;
  if (const Result bad = stream_of_current(on, &stream)) return bad;
  auto launch = std::make_shared<Launch>();
  launch->blocks = blocks_x;
  launch->blocks_y = blocks_y;
  launch->threads = threads_x;
  launch->threads_y = threads_y;
  for (int i = 0; i < module->kernel.parameters; ++i) {
    std::uint64_t value;
    std::memcpy(&value, arguments[i], sizeof value);
    launch->arguments.push_back(value);
  }
  find_reachable(current_context(), launch->memory);
  ++state.launches;
  // The module may be unloaded meanwhile: the driver waits for what is under way.
  stream->add([launch, kernel = module->kernel] {
    static std::atomic<long> ran{0};
    if (++ran == fault("STANDIN_FAIL_LAUNCH")) state.is_lost = true;
    if (!state.is_lost && !run_kernel(kernel, *launch)) state.is_lost = true;
  });
  return success;
}
