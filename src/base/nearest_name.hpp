// Which name somebody may have meant: for what is reported as unknown.
#pragma once

#include <span>
#include <string_view>

namespace baton {

inline constexpr int longest_name = 40;  // longer ones are near to nothing

// How many letters of `a` have to be inserted, dropped or changed to get `b`, whatever their case.
int edit_distance(const char* a, int a_length, const char* b);

// That of `names` which differs in the fewest letters, at most two: more are no slip. Null: none.
const char* nearest_name(std::string_view text, std::span<const char* const> names);

}  // namespace baton
