// Data that tests send: different bytes at every place, and for every seed.
#pragma once

#include <cstdint>
#include <vector>

namespace baton::message {

inline std::vector<char> pattern(std::int64_t bytes, int seed = 1) {
  std::vector<char> data(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = static_cast<char>(i * 7 + i / 251 + static_cast<std::size_t>(seed));
  return data;
}

}  // namespace baton::message
