// Data of this rank for what moves runs of bytes only: batches, messages, the kernel.
#pragma once

#include "window/place.hpp"

namespace baton::window {

// Typed data as one run of bytes: in place where it is one, else a copy that lasts as long as this.
class Packed {
 public:
  // `filled`: packed from the data now. Otherwise it is to be filled, and `unpack` brings it there.
  Packed(const Data& data, bool filled);
  ~Packed();
  Packed(const Packed&) = delete;
  Packed& operator=(const Packed&) = delete;
  bool has_memory() const { return bytes_ != nullptr || data_.bytes() == 0; }
  char* bytes() { return bytes_; }
  void unpack();

 private:
  Data data_;
  char* bytes_ = nullptr;
  char short_[512];
};

}  // namespace baton::window
