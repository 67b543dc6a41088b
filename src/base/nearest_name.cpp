#include "base/nearest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace baton {

// This is the Levenshtein distance.
int edit_distance(const char* a, int a_length, const char* b) {
  int b_length = static_cast<int>(std::strlen(b));
  if (a_length >= longest_name || b_length >= longest_name) return longest_name;
  int row[longest_name + 1];
  for (int j = 0; j <= b_length; ++j) row[j] = j;
  for (int i = 1; i <= a_length; ++i) {
    int diagonal = row[0];
    row[0] = i;
    for (int j = 1; j <= b_length; ++j) {
      int substitution = diagonal + (std::tolower(a[i - 1]) != std::tolower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitution});
    }
  }
  return row[b_length];
}

const char* nearest_name(std::string_view text, std::span<const char* const> names) {
  const char* nearest = nullptr;
  int least = 3;
  for (const char* name : names) {
    const int distance = edit_distance(text.data(), static_cast<int>(text.size()), name);
    if (distance >= least) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

}  // namespace baton
