// What ranks tell each other of a collective call, and whether it fits together: pure functions of
// what all have told, whose answer names the ranks. Used by alike.cpp, where `mpiexec --check` asks
// for it. Rules: MPI 5.0, "Collective Communication".
#pragma once

#include "collective/call_number.hpp"
#include "collective/check/procedure.hpp"

namespace baton::collective {

// A rank's call in short. What a kind of call does not have stays as it is here.
struct Outline {
  Procedure procedure;
  bool in_place = false;
  bool second = false;     // of two groups: ours is the second
  std::int32_t rank = -1;  // in our group; -1: not heard of yet
  std::int32_t root = 0;
  std::uint32_t prepared = 0;   // persistent calls made on the communicator before this one
  std::uint64_t operation = 0;  // the ABI's value; of user functions whether they commute
  std::uint64_t parts = 0;      // of a reduce_scatter: a hash of the counts
  datatype::Signature data;     // of what all ranks have alike
};

Outline outline_of(const Call& call, Form form);

// What everybody hears in the end: MPI_SUCCESS, or the class of the error and its words.
struct Verdict {
  Error error_class = MPI_SUCCESS;
  char text[400] = {};
};

// `outlines`: one of each member, by position.
void compare(const Communicator& comm, CallNumber number, const Outline* outlines,
             Verdict& verdict);

// Of blocks that one rank sends and another one expects otherwise: how many, and the first of them.
// Positions among the members.
struct Misfits {
  std::int32_t count = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  datatype::Signature sent;
  datatype::Signature expected;
};

// `misfits`: of what each member receives, by position.
void compare(const Communicator& comm, CallNumber number, const Procedure& procedure,
             const Misfits* misfits, Verdict& verdict);

}  // namespace baton::collective
