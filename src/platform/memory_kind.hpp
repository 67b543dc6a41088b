// The kinds of memory that this process has. Host memory is touched by the processor; memory of
// other kinds only by copies of its kind: that of devices (device/), or of the one kind that a
// plug-in describes (memory_kind.h). datatype/ and transport/move/ copy; other code asks of which
// kind a buffer is.
#pragma once

#include <cstddef>

#include "base/cache_line.hpp"
#include "base/error.hpp"
#include "platform/memory_kind.h"

namespace baton::platform {

class MemoryKinds {
 public:
  // Opens the plug-in that BATON_MEMORY_KIND names, if it names one and none is open, and finds out
  // whether there may be memory of devices. It is called at start. Errors: MPI_ERR_OTHER,
  // explained.
  Error open();
  // Makes a kind known, without a plug-in; null: none any more. For tests.
  void use(const BatonMemoryKind* kind);
  // Returns whether there may be memory that is not the host's, now or later.
  bool any() const { return any_; }
  // Returns whether collectives must look where data lies, or must take part when other ranks ask.
  bool concern_collectives() const { return concern_collectives_; }
  // Notes that other ranks of this node may have memory of devices.
  void note_devices_of_others() { concern_collectives_ = true; }
  // Returns the kind of an address; null: it is host memory, or no memory at all.
  const BatonMemoryKind* find(const void* address) const {
    return BATON_UNLIKELY(any_) ? find_asked(address) : nullptr;
  }

 private:
  BATON_COLD const BatonMemoryKind* find_asked(const void* address) const;

  const BatonMemoryKind* plug_in_ = nullptr;
  bool any_ = false;
  bool concern_collectives_ = false;
};

extern MemoryKinds memory_kinds;

// Copies where one side is, or both are, of the kind. Where the kind cannot, the process ends: the
// bytes of a message that has matched are nowhere else.
void copy_foreign(const BatonMemoryKind& kind, void* to, const void* from, std::size_t bytes);

// Copies where either side may be host memory or of any kind.
void copy_anywhere(void* to, const void* from, std::size_t bytes);

// Several such copies of this thread in a row, of any kinds: those that ForeignCopies makes while
// this object lives are over when it ends. Devices make them meanwhile.
class ForeignBatch {
 public:
  ForeignBatch();
  ~ForeignBatch();
  ForeignBatch(const ForeignBatch&) = delete;
  ForeignBatch& operator=(const ForeignBatch&) = delete;
};

// Copies of one kind, which are over when this object ends, or the batch around it.
class ForeignCopies {
 public:
  explicit ForeignCopies(const BatonMemoryKind& kind) : kind_(kind) {}
  void copy(void* to, const void* from, std::size_t bytes);

 private:
  ForeignBatch batch_;
  const BatonMemoryKind& kind_;
};

}  // namespace baton::platform
