// The kinds of memory that this process has. Host memory is touched by the processor; memory of the
// one other kind that a plug-in may describe (memory_kind.h) only by that plug-in's copies.
// datatype/ and transport/move/ copy; other code asks of which kind a buffer is.
#pragma once

#include <cstddef>

#include "base/cache_line.hpp"
#include "base/error.hpp"
#include "platform/memory_kind.h"

namespace baton::platform {

class MemoryKinds {
 public:
  // Opens the plug-in that BATON_MEMORY_KIND names, if it names one and none is open. It is called
  // at start. Errors: MPI_ERR_OTHER, explained.
  Error open();
  // Makes a kind known, without a plug-in; null: none any more. For tests.
  void use(const BatonMemoryKind* kind) { foreign_ = kind; }
  // Returns whether there is memory that is not the host's.
  bool any() const { return foreign_ != nullptr; }
  // Returns the kind of an address; null: it is host memory, or no memory at all.
  const BatonMemoryKind* find(const void* address) const {
    return BATON_UNLIKELY(foreign_ != nullptr) && foreign_->contains(address) ? foreign_ : nullptr;
  }

 private:
  const BatonMemoryKind* foreign_ = nullptr;
};

extern MemoryKinds memory_kinds;

// Copies where one side is, or both are, of the kind. Where the plug-in cannot, the process ends:
// the bytes of a message that has matched are nowhere else.
void copy_foreign(const BatonMemoryKind& kind, void* to, const void* from, std::size_t bytes);

}  // namespace baton::platform
