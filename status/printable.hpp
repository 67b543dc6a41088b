// Texts that ranks have written, for people: bounded and without what does not print. Pure.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>

namespace baton::status {

// What does not print becomes a question mark; names of communicators may be in any language.
void make_printable(char* text);

// To its end or the array's.
template <std::size_t size>
std::string printable(const char (&text)[size]) {
  std::string word(text, ::strnlen(text, size));
  make_printable(word.data());
  return word;
}

}  // namespace baton::status
