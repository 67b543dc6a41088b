#include "platform/leak_checker.hpp"

// LeakSanitizer's interface (sanitizer/lsan_interface.h); null where the program has none.
extern "C" {
__attribute__((weak)) void __lsan_register_root_region(const void* address, std::size_t bytes);
__attribute__((weak)) void __lsan_unregister_root_region(const void* address, std::size_t bytes);
}

namespace baton::platform {

void register_pointers(const void* address, std::size_t bytes) {
  if (__lsan_register_root_region) __lsan_register_root_region(address, bytes);
}

void unregister_pointers(const void* address, std::size_t bytes) {
  if (__lsan_unregister_root_region) __lsan_unregister_root_region(address, bytes);
}

}  // namespace baton::platform
