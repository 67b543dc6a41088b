// Texts of the tool interface: how they are given to the caller, and descriptions that are put
// together.
#pragma once

#include <cstddef>

namespace baton::tool {

// Gives a text as MPI 5.0, "Convention for Returning Strings", says: cut to the caller's space, and
// its whole length with the terminating zero. Both may be null.
void give_text(const char* text, char* space, int* length);

// A description, which is cut if it is too long.
class Description {
 public:
  Description& add(const char* text);
  // Adds a text of another table: {kinds}, {protocols} and {reasons} become lists of names with
  // their numbers; values that only a job's report knows ("{cma_bytes_min}" in brackets) are left
  // out.
  Description& add_words(const char* words);
  const char* text() const { return text_; }

 private:
  template <class NameAt>
  void add_list(int count, NameAt&& name_at);
  char text_[1024] = {};
  std::size_t length_ = 0;
};

}  // namespace baton::tool
