// Every generated entry point uses these: the checks that run per call, inline, and one cold
// function per kind of failure. Only src/api/generated/*.cpp and the bodies' tests include them. A
// passing check may cost a compare and a branch that is not taken.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "api/generated/procedures.hpp"
#include "base/cache_line.hpp"
#include "base/error.hpp"
#include "datatype/datatype.hpp"
#include "tool/timed_call.hpp"
#include "world/attribute.hpp"
#include "world/error_handler.hpp"
#include "world/library_state.hpp"

#define BATON_EXPORT extern "C" __attribute__((visibility("default")))
// Makes MPI_X, which tools may replace, a weak second name of PMPI_X.
#define BATON_ALIAS(name) \
  BATON_EXPORT __attribute__((weak, alias("PMPI_" #name))) decltype(PMPI_##name) MPI_##name;
// Does so for what is not the standard's (mpi-ext.h): MPIX_X and PMPIX_X.
#define BATON_EXTENSION_ALIAS(name) \
  BATON_EXPORT __attribute__((weak, alias("PMPIX_" #name))) decltype(PMPIX_##name) MPIX_##name;

namespace baton::api {

// These return the MPI name of a procedure, and of its argument (1 is the first).
const char* procedure_name(Procedure procedure);
const char* argument_name(Procedure procedure, int argument, char (&name)[64]);

// Raises a body's failure; success costs one branch.
BATON_COLD int report(Procedure procedure, ErrorTarget* target, Error code);
BATON_INLINE int finish(Procedure procedure, ErrorTarget* target, Error code) {
  return BATON_LIKELY(code == MPI_SUCCESS) ? MPI_SUCCESS : report(procedure, target, code);
}

// These are the failures. Each explains, raises on `target` and returns the result of the entry
// point.
BATON_COLD int not_running(Procedure procedure);
BATON_COLD int bad_handle(Procedure procedure, int argument, ErrorTarget* target, const void* value,
                          Error error_class);
BATON_COLD int null_argument(Procedure procedure, int argument, ErrorTarget* target);
BATON_COLD int bad_number(Procedure procedure, int argument, ErrorTarget* target,
                          std::int64_t value, int minimum, Error error_class);
// Reports a wrong number in an array; `place` counts from 0.
BATON_COLD int bad_element(Procedure procedure, int argument, ErrorTarget* target,
                           std::int64_t value, std::int64_t place, Error error_class);
BATON_COLD int bad_rank(Procedure procedure, int argument, ErrorTarget* target, int rank, int size,
                        bool any_source_allowed);
BATON_COLD int bad_root(Procedure procedure, int argument, ErrorTarget* target, int root, int size,
                        bool is_inter);
BATON_COLD int bad_tag(Procedure procedure, int argument, ErrorTarget* target, int tag,
                       bool any_tag_allowed);
BATON_COLD int uncommitted(Procedure procedure, int argument, ErrorTarget* target,
                           const char* type_name);
BATON_COLD int aliased(Procedure procedure, int argument, ErrorTarget* target);
// Reports that one buffer is given on both sides, and returns MPI_IN_PLACE, as which the call goes
// on, so that no rank waits for this one. A rank that `speaks` reports it once.
BATON_COLD const void* take_as_in_place(Procedure procedure, int argument, bool speaks);
// Moves a rank's own block to where MPI_IN_PLACE expects it, in the result.
BATON_COLD Error move_own_block(const void* from, std::int64_t count, const Datatype& type,
                                void* place, const Datatype& place_type);
inline char* own_place(const void* buffer, std::int64_t count, const Datatype& type, int rank) {
  return static_cast<char*>(const_cast<void*>(buffer)) + rank * count * type.extent;
}
template <class Count, class Displacement>
char* own_place(const void* buffer, const Count*, const Displacement* displacements,
                const Datatype& type, int rank) {
  return static_cast<char*>(const_cast<void*>(buffer)) + displacements[rank] * type.extent;
}
// Returns the type that MPI_DATATYPE_NULL stands for where there are no elements; null in all other
// cases.
BATON_COLD Datatype* type_of_no_data(MPI_Datatype type, std::int64_t count);
// Checks a buffer address that is a constant of the ABI. Returns 0 when it is allowed after all: a
// buffer without data may lie anywhere (an empty slice of Rust lies at its alignment, which may be
// 1), and MPI_BOTTOM is the null pointer, so null is wrong only for a type whose data begins at the
// buffer itself.
BATON_COLD int check_special_buffer(Procedure procedure, int argument, ErrorTarget* target,
                                    const void* buffer, bool no_data, bool null_allowed);

// Returns whether an address is one of MPI_BOTTOM (null), MPI_IN_PLACE and MPI_BUFFER_AUTOMATIC.
BATON_INLINE bool is_special(const void* buffer) {
  return reinterpret_cast<std::uintptr_t>(buffer) <= 2;
}

BATON_INLINE bool outside(int value, int size) {
  return static_cast<unsigned>(value) >= static_cast<unsigned>(size);
}

BATON_INLINE bool is_no_tag(int tag) {
  return tag < 0 || tag > tag_upper_bound;
}

// Converts a 64-bit result for a caller who offers an int: MPI_UNDEFINED when it does not fit.
BATON_INLINE int narrow(std::int64_t value) {
  return BATON_LIKELY(value == static_cast<int>(value)) ? static_cast<int>(value) : MPI_UNDEFINED;
}

}  // namespace baton::api
