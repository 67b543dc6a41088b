// The basic elements of datatypes, found by walking the records of their construction: what
// MPI_Get_elements counts and what external32 converts one by one. Nothing here needs memory or
// time that grows with the number of elements of one kind. Used by layers 4 and 10.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"

namespace baton::datatype {

// The two halves of a pair type (MPI_FLOAT_INT ..., and those of MPI_Type_get_value_index).
struct PairHalves {
  Datatype* value;
  Datatype* index;
};
bool is_pair(const Datatype& type);
PairHalves pair_halves(const Datatype& type);
// The pair that has a name, or null.
Datatype* find_named_pair(const Datatype& value, const Datatype& index);

// Whole basic elements in the first `bytes` packed bytes of any number of `type`; -1 when the last
// one is cut. `type` has data.
std::int64_t elements_in(const Datatype& type, std::int64_t bytes);

// Packed bytes of the first `elements` basic elements of any number of `type`, or -1 when that is
// beyond 64 bits. `type` has data.
std::int64_t bytes_of_elements(const Datatype& type, std::int64_t elements);

// Calls `take(taker, basic, how_many)` for each run of equal basic elements in `count` of `type`,
// in packed order. What `take` returns, if not MPI_SUCCESS, ends the walk and is returned.
using TakeRun = Error (*)(void* taker, const Datatype& basic, std::int64_t how_many);
Error for_each_run(const Datatype& type, std::int64_t count, TakeRun take, void* taker);

// What kind of element packed data of `type` is made of: a type with a record has children.
struct Child {
  const Datatype* type;
  std::int64_t count;
};
// How many children in a row `type` has: 1 for all constructors but structs and pairs.
std::int64_t child_count(const Datatype& type);
Child child_at(const Datatype& type, std::int64_t index);

}  // namespace baton::datatype
