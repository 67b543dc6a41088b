#include "platform/xpmem.hpp"

#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

namespace baton::platform {

namespace {

// This is the interface of libxpmem (xpmem.h).
struct Place {
  std::int64_t access;
  off_t offset;
};
constexpr int read_and_write = 2, permit_by_mode = 1;
constexpr std::size_t whole_space = ~std::size_t{0};

std::int64_t (*make)(void*, std::size_t, int, void*);
std::int64_t (*get)(std::int64_t, int, int, void*);
void* (*attach)(Place, std::size_t, void*);
int (*detach)(void*);

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
}

bool find_all(void* library) {
  find(library, "xpmem_make", make);
  find(library, "xpmem_get", get);
  find(library, "xpmem_attach", attach);
  find(library, "xpmem_detach", detach);
  return make && get && attach && detach;
}

}  // namespace

bool open_xpmem() {
  if (find_all(RTLD_DEFAULT)) return true;
  if (::access("/dev/xpmem", R_OK | W_OK) != 0) return false;
  void* library = ::dlopen("libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
  return library && find_all(library);
}

std::int64_t offer_memory() {
  constexpr std::uintptr_t own_user = 0600;
  return make(nullptr, whole_space, permit_by_mode, reinterpret_cast<void*>(own_user));
}

std::int64_t accept_memory(std::int64_t segment) {
  return get(segment, read_and_write, permit_by_mode, nullptr);
}

void* map_offered(std::int64_t access, std::uint64_t address, std::size_t bytes) {
  void* mapped = attach({access, static_cast<off_t>(address)}, bytes, nullptr);
  return mapped == reinterpret_cast<void*>(-1) ? nullptr : mapped;
}

void unmap_offered(void* mapped) {
  detach(mapped);
}

}  // namespace baton::platform
