#include "window/packed.hpp"

#include <cstdlib>

#include "datatype/pack.hpp"

namespace baton::window {

Packed::Packed(const Data& data, bool filled) : data_(data) {
  if (data.type->contiguous) {
    bytes_ = static_cast<char*>(data.buffer);
    return;
  }
  const std::int64_t bytes = data.bytes();
  bytes_ = bytes <= static_cast<std::int64_t>(sizeof short_)
               ? short_
               : static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes)));
  if (bytes_ && filled) datatype::pack(*data.type, data.buffer, 0, bytes_, bytes);
}

void Packed::unpack() {
  if (!data_.type->contiguous)
    datatype::unpack(*data_.type, data_.buffer, 0, bytes_, data_.bytes());
}

Packed::~Packed() {
  if (!data_.type->contiguous && bytes_ != short_) std::free(bytes_);
}

}  // namespace baton::window
