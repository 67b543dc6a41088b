// Reads and writes of a file: resolves a call's pointer to a position of the view, checks it, and
// moves the data, for one rank or, collectively, for all. It is called by api/. Errors: those of
// failure.hpp, MPI_ERR_ARG, MPI_ERR_ACCESS, MPI_ERR_READ_ONLY, MPI_ERR_UNSUPPORTED_OPERATION,
// MPI_ERR_CONVERSION, MPI_ERR_NO_MEM, explained.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/event.hpp"
#include "file/file.hpp"
#include "file/transfer.hpp"

namespace baton::file {

enum class Pointer : std::uint8_t { offset, individual, shared };

// A call of the program.
struct Access {
  bool writes;
  Pointer pointer;
  MPI_Offset offset;  // in etypes, where `pointer` says so
  void* buffer;
  std::int64_t count;
  Datatype* type;
};

// These are calls of one rank alone: now, or with a request.
Error access(File& file, const Access& access, MPI_Status* status);
Error start_access(File& file, const Access& access, MPI_Request* request);

// These are collective: all ranks call, in the same order. With the shared pointer the ranks' data
// lies in the order of ranks (the standard's "ordered").
Error access_all(File& file, const Access& access, MPI_Status* status);
Error start_access_all(File& file, const Access& access, MPI_Request* request);
// Split collective access: at most one is under way on a file. `end` must fit what has begun.
Error begin_access_all(File& file, const Access& access);
Error end_access_all(File& file, bool writes, Pointer pointer, MPI_Status* status);
bool is_split_under_way(const File& file);

// --- for both forms

// An access with its place in the view.
struct Placed {
  std::int64_t position = 0;  // of the first byte
  std::int64_t bytes = 0;     // in the file
  // How many of these have moved, where that is not as many as in memory: the data was converted.
  std::int64_t converted = 0;
};

// Checks a call's mode and numbers, and says how many bytes it moves in the file.
Error check_access(const File& file, const Access& access, std::int64_t* stored_bytes);
// Finds the position of a call by an offset or the individual pointer. Moves that pointer behind
// the access, if `moves_pointer`.
Error place(File& file, const Access& access, std::int64_t bytes, bool moves_pointer,
            Placed* placed);
// Moves the data of a placed access by this rank alone. `*moved` counts bytes of memory.
Error carry_out(File& file, const Access& access, Placed& placed, std::int64_t* moved);
// Sets the individual pointer behind the bytes of memory that have moved.
void set_pointer_behind(File& file, const Access& access, const Placed& placed, std::int64_t moved);
void fill_status(MPI_Status* status, std::int64_t moved);
// These tell tools that ask that an access of so many bytes begins, and that it has ended.
void tell_begun(const File& file, const Access& access, bool by_all, std::int64_t bytes,
                EventPlace place);
void tell_ended(const File& file, const Access& access, bool by_all, std::int64_t moved);
// Counts a call that has ended (base/file_counts.hpp), and tells tools that ask.
void count_call(File& file, const Access& access, bool by_all, std::int64_t moved);
// Notes a write that has failed (lost_data.hpp), and returns its error.
Error note_outcome(File& file, const Access& access, Error error);

}  // namespace baton::file
