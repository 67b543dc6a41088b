// The functions of the algorithms, by row of the table (base/algorithm.hpp): each row has one of
// its name, in a file of algorithm/, or the library does not link. Included by select.cpp alone.
#pragma once

#include <type_traits>

#include "collective/algorithm.hpp"

namespace baton::collective {

// Which member it has says the row.
union Function {
  ByMessages* by_messages;
  MeetsOnce* meets_once;
  MeetsTwice* meets_twice;
  MeetsInRow* meets_in_row;
  CopiesDirectly* copies_directly;

  constexpr Function(ByMessages* function) : by_messages(function) {}
  constexpr Function(MeetsOnce* function) : meets_once(function) {}
  constexpr Function(MeetsTwice* function) : meets_twice(function) {}
  constexpr Function(MeetsInRow* function) : meets_in_row(function) {}
  constexpr Function(CopiesDirectly* function) : copies_directly(function) {}
};

template <unsigned meetings, unsigned needs>
using FunctionOf = std::conditional_t<
    meetings == 0, ByMessages,
    std::conditional_t<meetings == 1, MeetsOnce,
                       std::conditional_t<meetings != 2, MeetsInRow,
                                          std::conditional_t<(needs & needs_direct) != 0,
                                                             CopiesDirectly, MeetsTwice>>>>;

#define BATON_DECLARE(name, kind, meetings, needs, words) FunctionOf<meetings, (needs)> name;
BATON_ALGORITHMS(BATON_DECLARE)
#undef BATON_DECLARE

#define BATON_FUNCTION(name, kind, meetings, needs, words) name,
inline constexpr Function functions[] = {BATON_ALGORITHMS(BATON_FUNCTION)};
#undef BATON_FUNCTION
static_assert(std::size(functions) == algorithm_count);

constexpr Function function_of(Algorithm algorithm) {
  return functions[static_cast<int>(algorithm)];
}

}  // namespace baton::collective
