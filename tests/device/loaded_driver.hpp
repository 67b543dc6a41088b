// The stand-in driver as a program has it that loads it late: by its path, with a context.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdint>

#include "standin.h"

namespace baton::platform {

class LoadedDriver {
 public:
  LoadedDriver() {
    library_ = ::dlopen(STANDIN_DRIVER, RTLD_NOW);
    EXPECT_NE(library_, nullptr);
    find("cuInit", init);
    find("cuCtxCreate_v2", create_context);
    find("cuCtxDestroy_v2", destroy_context);
    find("cuCtxSetCurrent", set_current);
    find("cuCtxGetCurrent", get_current);
    find("cuMemAlloc_v2", allocate);
    find("cuMemFree_v2", release);
    find("cuMemHostRegister_v2", register_host);
    find("cuMemHostUnregister", unregister_host);
    find("standin_allocate", allocate_kind);
    find("standin_view", view);
    find("standin_counts", counts);
    EXPECT_EQ(init(0), 0);
  }
  void* allocate_bytes(std::size_t bytes) {
    std::uint64_t memory = 0;
    EXPECT_EQ(allocate(&memory, bytes), 0);
    return reinterpret_cast<void*>(memory);
  }
  int free_bytes(void* memory) { return release(reinterpret_cast<std::uint64_t>(memory)); }
  char* seen(const void* memory) { return static_cast<char*>(view(memory)); }

  int (*init)(unsigned);
  int (*create_context)(void** context, unsigned flags, int device);
  int (*destroy_context)(void* context);
  int (*set_current)(void* context);
  int (*get_current)(void** context);
  int (*allocate)(std::uint64_t* memory, std::size_t bytes);
  int (*release)(std::uint64_t memory);
  int (*register_host)(void* memory, std::size_t bytes, unsigned flags);
  int (*unregister_host)(void* memory);
  void* (*allocate_kind)(StandinKind kind, std::size_t bytes, void* place);
  void* (*view)(const void* address);
  StandinCounts (*counts)();

 private:
  template <class Function>
  void find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library_, name));
    EXPECT_NE(function, nullptr) << name;
  }
  void* library_;
};

}  // namespace baton::platform
