#include "base/search_path.hpp"

#include <cstring>

namespace baton {

void remove_folder(char* path, std::string_view folder) {
  std::string_view rest(path);
  char* end = path;
  bool first = true;
  while (true) {
    const std::size_t colon = rest.find(':');
    const std::string_view entry = rest.substr(0, colon);
    if (entry != folder) {
      if (!first) *end++ = ':';
      std::memmove(end, entry.data(), entry.size());
      end += entry.size();
      first = false;
    }
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  *end = 0;
}

bool has_folder(std::string_view path, std::string_view folder) {
  while (true) {
    const std::size_t colon = path.find(':');
    if (path.substr(0, colon) == folder) return true;
    if (colon == std::string_view::npos) return false;
    path.remove_prefix(colon + 1);
  }
}

}  // namespace baton
