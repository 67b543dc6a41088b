// These are the functions of the algorithms, by row of the table (base/algorithm.hpp): each row has
// a function of its name, in a file of algorithm/, or the library does not link. Only select.cpp
// includes this.
#pragma once

#include <type_traits>

#include "collective/algorithm.hpp"

namespace baton::collective {

// The row says which member is valid (signature_of).
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

// Returns the signature that a row of this kind has.
template <unsigned rounds, unsigned needs>
constexpr auto signature_of() {
  if constexpr (rounds == 0)
    return std::type_identity<ByMessages>{};
  else if constexpr (rounds == 1)
    return std::type_identity<InOneRound>{};
  else if constexpr (rounds > 2)
    return std::type_identity<InManyRounds>{};
  else if constexpr (needs & needs_direct)
    return std::type_identity<CopiesDirectly>{};
  else
    return std::type_identity<InTwoRounds>{};
}
template <unsigned rounds, unsigned needs>
using FunctionOf = decltype(signature_of<rounds, needs>())::type;

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
