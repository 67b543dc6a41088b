// Text that is put together of parts and ends where its space does, for reports of several objects.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstddef>
#include <cstdio>

namespace baton::world {

class Words {
 public:
  Words(char* text, std::size_t length) : text_(text), length_(length) { text[0] = 0; }

  // Adds words as printf does, as far as there is space.
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list values;
    va_start(values, format);
    const int added = std::vsnprintf(text_ + used_, length_ - used_, format, values);
    va_end(values);
    used_ = std::min(used_ + static_cast<std::size_t>(std::max(added, 0)), length_ - 1);
  }
  bool empty() const { return used_ == 0; }
  const char* text() const { return text_; }

 private:
  char* text_;
  std::size_t length_, used_ = 0;
};

}  // namespace baton::world
