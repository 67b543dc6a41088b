#include "status/printable.hpp"

namespace baton::status {

namespace {

// Returns how many bytes the UTF-8 character has that begins at `text`; 0: none begins there.
int character_bytes(const char* text) {
  auto byte = [text](int i) { return static_cast<unsigned char>(text[i]); };
  const int bytes = byte(0) < 0x80         ? 1
                    : byte(0) >> 5 == 0x6  ? 2
                    : byte(0) >> 4 == 0xe  ? 3
                    : byte(0) >> 3 == 0x1e ? 4
                                           : 0;
  for (int i = 1; i < bytes; ++i)
    if (byte(i) >> 6 != 2) return 0;
  return bytes;
}

}  // namespace

void make_printable(char* text) {
  while (*text) {
    const int bytes = character_bytes(text);
    const bool control = bytes == 1 && (*text < ' ' || *text == 127);
    if (bytes == 0 || control) *text = '?';
    text += bytes ? bytes : 1;
  }
}

}  // namespace baton::status
