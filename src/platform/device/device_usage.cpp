#include "platform/device/device_usage.hpp"

#include <dlfcn.h>
#include <unistd.h>

namespace baton::platform {

namespace {

// These are of the library's documentation ("NVML API Reference").
using Device = void*;
using Result = int;
constexpr Result success = 0;
struct ProcessInfo {  // nvmlProcessInfo_v2_t
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
};
constexpr unsigned long long not_told = ~0ull;

struct Functions {
  Result (*start)();
  Result (*end)();
  Result (*count)(unsigned*);
  Result (*device)(unsigned, Device*);
  Result (*processes)(Device, unsigned*, ProcessInfo*);
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library, Functions& functions) {
  return find(library, "nvmlInit_v2", functions.start) &&
         find(library, "nvmlShutdown", functions.end) &&
         find(library, "nvmlDeviceGetCount_v2", functions.count) &&
         find(library, "nvmlDeviceGetHandleByIndex_v2", functions.device) &&
         find(library, "nvmlDeviceGetComputeRunningProcesses_v3", functions.processes);
}

// Adds what this process has on all devices; false: none of them knows it.
bool add_all(const Functions& functions, std::uint64_t* bytes) {
  constexpr unsigned processes_max = 1024;  // on one device; guess
  static ProcessInfo infos[processes_max];
  unsigned devices = 0;
  if (functions.count(&devices) != success) return false;
  bool known = false;
  for (unsigned i = 0; i < devices; ++i) {
    Device device;
    unsigned found = processes_max;
    if (functions.device(i, &device) != success ||
        functions.processes(device, &found, infos) != success)
      continue;
    for (unsigned k = 0; k < found; ++k) {
      if (infos[k].pid != static_cast<unsigned>(::getpid()) || infos[k].bytes == not_told) continue;
      *bytes += infos[k].bytes;
      known = true;
    }
  }
  return known;
}

}  // namespace

bool count_device_bytes(std::uint64_t* bytes) {
  *bytes = 0;
  void* library = ::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  Functions functions;
  if (!library || !find_all(library, functions) || functions.start() != success) return false;
  const bool known = add_all(functions, bytes);
  functions.end();
  return known;
}

}  // namespace baton::platform
