// This finds the basic elements of datatypes by walking the records of their construction:
// MPI_Get_elements counts them and external32 converts them one by one. Nothing here needs memory
// or time that grows with the number of elements of one kind. Layers 4 and 10 use it.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"

namespace baton::datatype {

// These are the two halves of a pair type (MPI_FLOAT_INT ..., and those of
// MPI_Type_get_value_index).
struct PairHalves {
  Datatype* value;
  Datatype* index;
};
bool is_pair(const Datatype& type);
PairHalves pair_halves(const Datatype& type);
// Returns the pair that has a name, or null.
Datatype* find_named_pair(const Datatype& value, const Datatype& index);

// Returns the whole basic elements in the first `bytes` packed bytes of any number of `type`; -1
// when the last one is cut. `type` must have data.
std::int64_t elements_in(const Datatype& type, std::int64_t bytes);

// Returns the packed bytes of the first `elements` basic elements of any number of `type`, or -1
// when that is beyond 64 bits. `type` must have data.
std::int64_t bytes_of_elements(const Datatype& type, std::int64_t elements);

// Calls `take(taker, basic, how_many)` for each run of equal basic elements in `count` of `type`,
// in packed order. A result of `take` other than MPI_SUCCESS ends the walk and is returned.
using TakeRun = Error (*)(void* taker, const Datatype& basic, std::int64_t how_many);
Error for_each_run(const Datatype& type, std::int64_t count, TakeRun take, void* taker);

// This is a part of a type, of which its packed data is made: a type with a record has children.
struct Child {
  const Datatype* type;
  std::int64_t count;
};
// Returns how many children in a row `type` has: 1 for all constructors but structs and pairs.
std::int64_t child_count(const Datatype& type);
Child child_at(const Datatype& type, std::int64_t index);

}  // namespace baton::datatype
