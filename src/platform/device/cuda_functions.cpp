#include "platform/device/cuda_functions.hpp"

#include <dlfcn.h>

namespace baton::platform::cuda {

namespace {

// cuGetProcAddress_v2, which drivers have since CUDA 12.
using GetProcAddress = Result (*)(const char* symbol, void** function, int version,
                                  std::uint64_t flags, int* status);

bool find(GetProcAddress get, const char* symbol, int version, void** function) {
  int status = 0;
  *function = nullptr;
  return get(symbol, function, version, 0, &status) == success && *function;
}

}  // namespace

const char* find_functions(void* library, Functions& functions) {
  auto get = reinterpret_cast<GetProcAddress>(::dlsym(library, "cuGetProcAddress_v2"));
  if (!get) return "cuGetProcAddress_v2";
  void* found;
#define BATON_CUDA_FIND(name, symbol, version, required, arguments)     \
  if (!find(get, #symbol, version, &found) && required) return #symbol; \
  functions.name = reinterpret_cast<Result(*) arguments>(found);
  BATON_CUDA_FUNCTIONS(BATON_CUDA_FIND)
#undef BATON_CUDA_FIND
  return nullptr;
}

}  // namespace baton::platform::cuda
