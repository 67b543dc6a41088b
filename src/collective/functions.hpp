// The functions of the algorithms, by row of the table (base/algorithm.hpp): each row has one of
// its name, in a file of algorithm/, or the library does not link. Included by select.cpp alone.
#pragma once

#include <type_traits>

#include "collective/algorithm.hpp"

namespace baton::collective {

// Which member it has says the row.
union Function {
  ByMessages* by_messages;
  InOneRound* in_one_round;
  InTwoRounds* in_two_rounds;
  InManyRounds* in_many_rounds;
  CopiesDirectly* copies_directly;

  constexpr Function(ByMessages* function) : by_messages(function) {}
  constexpr Function(InOneRound* function) : in_one_round(function) {}
  constexpr Function(InTwoRounds* function) : in_two_rounds(function) {}
  constexpr Function(InManyRounds* function) : in_many_rounds(function) {}
  constexpr Function(CopiesDirectly* function) : copies_directly(function) {}
};

template <unsigned rounds, unsigned needs>
using FunctionOf = std::conditional_t<
    rounds == 0, ByMessages,
    std::conditional_t<rounds == 1, InOneRound,
                       std::conditional_t<rounds != 2, InManyRounds,
                                          std::conditional_t<(needs & needs_direct) != 0,
                                                             CopiesDirectly, InTwoRounds>>>>;

#define BATON_DECLARE(name, kind, rounds, needs, words) FunctionOf<rounds, (needs)> name;
BATON_ALGORITHMS(BATON_DECLARE)
#undef BATON_DECLARE

#define BATON_FUNCTION(name, kind, rounds, needs, words) name,
inline constexpr Function functions[] = {BATON_ALGORITHMS(BATON_FUNCTION)};
#undef BATON_FUNCTION
static_assert(std::size(functions) == algorithm_count);

constexpr Function function_of(Algorithm algorithm) {
  return functions[static_cast<int>(algorithm)];
}

}  // namespace baton::collective
