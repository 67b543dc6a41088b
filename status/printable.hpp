// This makes texts that ranks have written safe for people: bounded and printable. It is pure.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace baton::status {

// Replaces unprintable characters by question marks; names of communicators may be in any language.
void make_printable(char* text);

// Returns the text up to its end or the array's.
template <std::size_t size>
std::string printable(const char (&text)[size]) {
  std::string word(text, ::strnlen(text, size));
  make_printable(word.data());
  return word;
}

}  // namespace baton::status
