// These are the descriptions of a collective call that ranks tell each other, and the comparison of
// these: pure functions of the descriptions, whose verdict names the ranks. They are used by
// alike.cpp under `mpiexec --check`. The rules are in MPI 5.0, "Collective Communication".
#pragma once

#include "collective/call_number.hpp"
#include "collective/check/procedure.hpp"

namespace baton::collective {

// This is a rank's call in short. Members that a kind of call does not have keep these values.
struct Outline {
  Procedure procedure;
  bool in_place = false;
  bool second = false;     // in an intercommunicator, our group is the second
  std::int32_t rank = -1;  // in our group; -1: not heard of yet
  std::int32_t root = 0;
  std::uint32_t prepared = 0;   // persistent calls made on the communicator before this one
  std::uint64_t operation = 0;  // the ABI's value; for user functions, whether they commute
  std::uint64_t parts = 0;      // of a reduce_scatter: a hash of the counts
  datatype::Signature data;     // the data that all ranks must have alike
};

Outline outline_of(const Call& call, Form form);

// This is the result that every rank gets in the end: MPI_SUCCESS, or the class of the error and
// its words.
struct Verdict {
  Error error_class = MPI_SUCCESS;
  char text[400] = {};
};

// Compares the calls of all members. `outlines` has one of each member, by position.
void compare(const Communicator& comm, CallNumber number, const Outline* outlines,
             Verdict& verdict);

// These are the blocks that one rank sends and another one expects otherwise: how many, and the
// first of them. Ranks are positions among the members.
struct Misfits {
  std::int32_t count = 0;
  std::int32_t from = 0;
  std::int32_t to = 0;
  datatype::Signature sent;
  datatype::Signature expected;
};

// Compares blocks. `misfits` has those that each member receives, by position.
void compare(const Communicator& comm, CallNumber number, const Procedure& procedure,
             const Misfits* misfits, Verdict& verdict);

}  // namespace baton::collective
