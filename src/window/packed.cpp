#include "window/packed.hpp"

#include <cstdlib>

#include "datatype/pack.hpp"

namespace baton::window {

Packed::Packed(const Data* data, bool filled) : data_(data) {
  if (!is_copy()) {
    if (data) bytes_ = static_cast<char*>(data->buffer);
    return;
  }
  const std::int64_t bytes = data->bytes();
  bytes_ = bytes <= static_cast<std::int64_t>(sizeof short_)
               ? short_
               : static_cast<char*>(std::malloc(static_cast<std::size_t>(bytes)));
  if (bytes_ && filled) datatype::pack(*data->type, data->buffer, 0, bytes_, bytes, data->is_host);
}

void Packed::unpack() {
  if (is_copy())
    datatype::unpack(*data_->type, data_->buffer, 0, bytes_, data_->bytes(), data_->is_host);
}

Packed::~Packed() {
  if (is_copy() && bytes_ != short_) std::free(bytes_);
}

Error no_memory_for(std::int64_t bytes) {
  return fail(MPI_ERR_NO_MEM, "no memory for a copy of %lld bytes of data",
              static_cast<long long>(bytes));
}

}  // namespace baton::window
