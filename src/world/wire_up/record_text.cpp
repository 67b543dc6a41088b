#include "world/wire_up/record_text.hpp"

#include <cstdint>

namespace baton::world {

namespace {

constexpr char letters[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

int value_of(char letter) {
  if (letter >= '0' && letter <= '9') return letter - '0';
  if (letter >= 'A' && letter <= 'Z') return letter - 'A' + 10;
  if (letter >= 'a' && letter <= 'z') return letter - 'a' + 36;
  return letter == '-' ? 62 : letter == '_' ? 63 : -1;
}

}  // namespace

void write_record_text(const void* record, std::size_t bytes, char* text) {
  const auto* next = static_cast<const std::uint8_t*>(record);
  std::uint32_t held = 0;
  int bits = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    held = held << 8 | next[i];
    for (bits += 8; bits >= 6; bits -= 6) *text++ = letters[held >> (bits - 6) & 63];
  }
  if (bits > 0) *text = letters[held << (6 - bits) & 63];
}

bool read_record_text(std::string_view text, void* record, std::size_t bytes) {
  if (text.size() != text_length(bytes)) return false;
  auto* next = static_cast<std::uint8_t*>(record);
  std::uint32_t held = 0;
  int bits = 0;
  for (char letter : text) {
    const int value = value_of(letter);
    if (value < 0) return false;
    held = held << 6 | static_cast<std::uint32_t>(value);
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    *next++ = static_cast<std::uint8_t>(held >> bits);
  }
  // The remaining bits must be the zeros that fill up the last letter.
  return (held & ((1u << bits) - 1)) == 0;
}

}  // namespace baton::world
