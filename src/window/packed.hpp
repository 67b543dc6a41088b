// This is packed data of this rank, for code that moves runs of bytes only: batches, messages, the
// kernel.
#pragma once

#include "window/place.hpp"

namespace baton::window {

// This is typed data as one run of bytes: in place where it is one in host memory, else in a copy
// that lives as long as this object.
class Packed {
 public:
  // `filled`: the data is packed now. Otherwise the caller fills the bytes, and `unpack` moves them
  // into the data. No data (null) has no bytes.
  Packed(const Data* data, bool filled);
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  bool has_memory() const { return bytes_ || !data_ || data_->bytes() == 0; }
  char* bytes() { return bytes_; }
  void unpack();

 private:
  bool is_copy() const { return data_ && !data_->is_run(); }
  const Data* data_;
  char* bytes_ = nullptr;
  char short_[512];
};

// Returns the error of a copy without memory.
BATON_COLD Error no_memory_for(std::int64_t bytes);

}  // namespace baton::window
