// Writes a record as text that any key-value store of a process manager takes: letters, digits, '-'
// and '_', six bits each. The functions are pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace baton::world {

// Returns the number of letters for this many bytes.
constexpr std::size_t text_length(std::size_t bytes) {
  return (bytes * 8 + 5) / 6;
}

// Writes text_length(bytes) letters.
void write_record_text(const void* record, std::size_t bytes, char* text);

// Reads the bytes back; returns false when the text is not that of such a record.
bool read_record_text(std::string_view text, void* record, std::size_t bytes);

}  // namespace baton::world
