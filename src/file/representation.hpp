// Data representations: how numbers look in a file (MPI 5.0, "File Interoperability"). "native" and
// "internal" are as in memory, "external32" is the standard's, others are the program's own
// (MPI_Register_datarep). Where data is converted, it is converted as a whole, in memory of its
// size in the file. They are used by views and transfers.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "datatype/datatype.hpp"

namespace baton::file {

struct Representation {
  enum class Kind : std::uint8_t { native, external32, registered };
  // The program's functions, in one of two forms. Null conversion functions: data is as in memory.
  struct Functions {
    MPI_Datarep_conversion_function* read = nullptr;
    MPI_Datarep_conversion_function* write = nullptr;
    MPI_Datarep_conversion_function_c* read_wide = nullptr;
    MPI_Datarep_conversion_function_c* write_wide = nullptr;
    MPI_Datarep_extent_function* extent = nullptr;
    void* extra_state = nullptr;
  };

  char name[MPI_MAX_DATAREP_STRING];
  Kind kind;
  Functions functions;
  Representation* next = nullptr;

  // Returns whether reads, or writes, convert.
  bool converts(bool writes) const;
};

const Representation& native_representation();
// Returns null when there is none of this name.
const Representation* find_representation(const char* name);
// Adds a representation; it lasts as long as the process. Errors: MPI_ERR_DUP_DATAREP, MPI_ERR_ARG,
// MPI_ERR_NO_MEM, explained.
Error register_representation(const char* name, const Representation::Functions& functions);

// Makes the type that `type` is in files: the same, where its elements have the same sizes there.
// It is held. Errors: MPI_ERR_CONVERSION, MPI_ERR_NO_MEM, explained.
Error stored_type(const Representation& representation, Datatype& type, Datatype** stored);

// These convert `count` elements of `type` between memory and `packed`, where each has the size of
// its stored type. Of a read that ended early only the first `*stored` bytes are there: as many
// numbers are converted as these hold whole (of the program's representations, elements of
// `type`). Then `*stored` says how many bytes these have in the file, and `*moved` in memory.
// Errors: MPI_ERR_CONVERSION, or what the program's function returns.
Error to_file(const Representation& representation, Datatype& type, std::int64_t count,
              const void* buffer, void* packed);
Error from_file(const Representation& representation, Datatype& type, std::int64_t count,
                void* buffer, const void* packed, std::int64_t each, std::int64_t* stored,
                std::int64_t* moved);

}  // namespace baton::file
