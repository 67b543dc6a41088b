#include "tool/interface/text.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include "base/algorithm.hpp"
#include "base/file_counts.hpp"
#include "base/traffic.hpp"

namespace baton::tool {

void give_text(const char* text, char* space, int* length) {
  if (!length) return;
  const std::size_t whole = std::strlen(text) + 1;
  if (space && *length > 0) {
    const std::size_t given = std::min(whole, static_cast<std::size_t>(*length)) - 1;
    std::memcpy(space, text, given);
    space[given] = 0;
  }
  *length = static_cast<int>(whole);
}

Description& Description::add(const char* text) {
  const std::size_t wanted = std::min(std::strlen(text), sizeof text_ - 1 - length_);
  std::memcpy(text_ + length_, text, wanted);
  length_ += wanted;
  return *this;
}

template <class NameAt>
void Description::add_list(int count, NameAt&& name_at) {
  for (int i = 0; i < count; ++i) {
    char item[80];
    std::snprintf(item, sizeof item, "%s%d %s", i ? ", " : "", i, name_at(i));
    add(item);
  }
}

Description& Description::add_words(const char* words) {
  while (const char* brace = std::strchr(words, '{')) {
    const char* end = std::strchr(brace, '}') + 1;
    const bool is_list = std::strncmp(brace, "{kinds}", 7) == 0 ||
                         std::strncmp(brace, "{protocols}", 11) == 0 ||
                         std::strncmp(brace, "{reasons}", 9) == 0;
    const char* before = is_list ? brace : brace - 2;  // " ({value})"
    char part[sizeof text_];
    std::snprintf(part, sizeof part, "%.*s", static_cast<int>(before - words), words);
    add(part);
    if (brace[1] == 'k')
      add_list(collective_kind_count, [](int i) { return collective_kind_names[i]; });
    if (brace[1] == 'p') add_list(way_count, [](int i) { return way_rows[i].name; });
    if (is_list && brace[1] == 'r')
      add_list(file_reason_count, [](int i) { return file_reason_rows[i].name; });
    words = is_list ? end : end + 1;
  }
  return add(words);
}

}  // namespace baton::tool
