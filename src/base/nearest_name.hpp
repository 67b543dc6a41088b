// These functions find the name that somebody may have meant by an unknown one, for error messages.
#pragma once

#include <span>
#include <string_view>

namespace baton {

inline constexpr int longest_name = 40;  // a longer name is near to no other

// Returns how many letters of `a` have to be inserted, dropped or changed to get `b`, whatever
// their case.
int edit_distance(const char* a, int a_length, const char* b);

// Returns the one of `names` that differs from `text` in the fewest letters. Names that differ in
// more than two letters do not count, since those are no slips. Null: there is none.
const char* nearest_name(std::string_view text, std::span<const char* const> names);

}  // namespace baton
