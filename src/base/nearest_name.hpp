// Which name somebody may have meant: for what is reported as unknown.
#pragma once

namespace baton {

inline constexpr int longest_name = 40;  // longer ones are near to nothing

// How many letters of `a` have to be inserted, dropped or changed to get `b`, whatever their case.
int edit_distance(const char* a, int a_length, const char* b);

}  // namespace baton
