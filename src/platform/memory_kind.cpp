#include "platform/memory_kind.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "base/report.hpp"
#include "platform/device/device_batch.hpp"
#include "platform/device/device_memory.hpp"

namespace baton::platform {

constinit MemoryKinds memory_kinds;

namespace {

[[noreturn]] void end_after_failed_copy(const BatonMemoryKind& kind, void* to, const void* from,
                                        std::size_t bytes, const char* why) {
  report("copying %zu bytes of memory of the kind \"%s\" from %p to %p failed: %s", bytes,
         kind.name, from, to, why);
  std::abort();
}

[[noreturn]] void end_after_failed_copies(const char* why) {
  report("copying device memory failed: %s", why);
  std::abort();
}

// These are the copies of a thread's batches, which lie in each other.
struct OpenBatches {
  DeviceBatch copies;
  int batches = 0;
};
constinit thread_local OpenBatches open;

}  // namespace

void MemoryKinds::use(const BatonMemoryKind* kind) {
  plug_in_ = kind;
  concern_collectives_ = any_ = kind || device_memory.may_be_used();
}

Error MemoryKinds::open() {
  device_memory.begin();
  concern_collectives_ = any_ = plug_in_ || device_memory.may_be_used();
  const char* file = environment_variable("BATON_MEMORY_KIND");
  if (plug_in_ || !file || !*file) return MPI_SUCCESS;
  void* library = ::dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return fail(MPI_ERR_OTHER,
                "BATON_MEMORY_KIND names a plug-in that cannot be opened: %s; unset it, or name "
                "another file",
                ::dlerror());
  auto* kind = static_cast<const BatonMemoryKind*>(::dlsym(library, "baton_memory_kind"));
  if (!kind || kind->version != baton_memory_kind_version || !kind->contains || !kind->copy)
    return fail(MPI_ERR_OTHER,
                "%s (BATON_MEMORY_KIND) describes no kind of memory of version %d; build it with "
                "memory_kind.h of this Baton",
                file, int{baton_memory_kind_version});
  use(kind);
  return MPI_SUCCESS;
}

const BatonMemoryKind* MemoryKinds::find_asked(const void* address) const {
  if (plug_in_ && plug_in_->contains(address)) return plug_in_;
  return device_memory.kind_of(address);
}

void copy_foreign(const BatonMemoryKind& kind, void* to, const void* from, std::size_t bytes) {
  if (bytes == 0) return;
  if (const char* why = kind.copy(to, from, bytes))
    end_after_failed_copy(kind, to, from, bytes, why);
}

void copy_anywhere(void* to, const void* from, std::size_t bytes) {
  const BatonMemoryKind* kind = memory_kinds.find(to);
  if (!kind) kind = memory_kinds.find(from);
  if (kind)
    copy_foreign(*kind, to, from, bytes);
  else if (bytes)
    std::memcpy(to, from, bytes);
}

ForeignBatch::ForeignBatch() {
  ++open.batches;
}

ForeignBatch::~ForeignBatch() {
  if (--open.batches > 0) return;
  if (const char* why = open.copies.finish()) end_after_failed_copies(why);
}

void ForeignCopies::copy(void* to, const void* from, std::size_t bytes) {
  if (kind_.copy != copy_device_memory) return copy_foreign(kind_, to, from, bytes);
  if (const char* why = open.copies.copy(to, from, bytes))
    end_after_failed_copy(kind_, to, from, bytes, why);
}

}  // namespace baton::platform
