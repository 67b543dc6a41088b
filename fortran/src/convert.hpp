// What Fortran passes and what C takes: handles, statuses, addresses with a meaning, strings.
// Only the standard's C procedures are called, and where they are there those of mpi-ext.h, so that
// the library serves any libmpi_abi.so.1.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>

#define FORTRAN extern "C" __attribute__((visibility("default")))

namespace baton::fortran {

using Fint = int;  // default INTEGER and LOGICAL of 4 bytes, as the modules demand
using Function = void();

// Descriptor of an assumed-rank argument: the beginning that ISO_Fortran_binding.h of gfortran and
// of flang have in common.
struct Dimension {
  std::int64_t lower_bound, extent, stride;  // the stride in bytes
};
struct Descriptor {
  void* base_addr;
  std::size_t elem_len;
  int version;
  std::uint8_t rank, bytes[3];
  Dimension dimensions[15];
};

// MPI 5.0, 2.5.4 and 19.3: what these are is told by where they are. One common block, so that one
// comparison tells that an address is none of them; the modules declare it so, too.
struct Sentinels {
  Fint status_ignore[8], statuses_ignore[8];
  Fint bottom, in_place, buffer_automatic, unweighted, weights_empty, errcodes_ignore;
};
struct Arguments {
  char argv_null, argvs_null;
};
FORTRAN Sentinels mpi_fortran_sentinels_;
FORTRAN Arguments mpi_fortran_arguments_;

inline bool is_sentinel(const void* place) {
  return reinterpret_cast<std::uintptr_t>(place) -
             reinterpret_cast<std::uintptr_t>(&mpi_fortran_sentinels_) <
         sizeof mpi_fortran_sentinels_;
}

// C's address for a buffer's.
inline void* address_of(void* buffer) {
  if (__builtin_expect(!is_sentinel(buffer), 1)) return buffer;
  const Sentinels& s = mpi_fortran_sentinels_;
  return buffer == &s.bottom             ? MPI_BOTTOM
         : buffer == &s.in_place         ? MPI_IN_PLACE
         : buffer == &s.buffer_automatic ? MPI_BUFFER_AUTOMATIC
                                         : buffer;
}

// A status has the same bytes in all languages.
inline MPI_Status* status_at(Fint* place) {
  if (__builtin_expect_with_probability(place == mpi_fortran_sentinels_.status_ignore, 1, 1.0))
    return MPI_STATUS_IGNORE;
  return reinterpret_cast<MPI_Status*>(place);
}

inline MPI_Status* statuses_at(Fint* place) {
  return place == mpi_fortran_sentinels_.statuses_ignore ? MPI_STATUSES_IGNORE
                                                         : reinterpret_cast<MPI_Status*>(place);
}

// Weights of edges, and error codes of spawned processes.
inline int* weights_at(Fint* place) {
  const Sentinels& s = mpi_fortran_sentinels_;
  return place == &s.unweighted        ? MPI_UNWEIGHTED
         : place == &s.weights_empty   ? MPI_WEIGHTS_EMPTY
         : place == &s.errcodes_ignore ? MPI_ERRCODES_IGNORE
                                       : place;
}

inline void tell(Fint* ierror, int error) {
  if (ierror) *ierror = error;
}

// --- handles. Predefined ones have the same number in both languages (MPI 5.0, 20.4).

constexpr std::uintptr_t predefined_max = 0x1000;

template <class Handle>
Handle from_number(Fint number) {
  if constexpr (std::is_same_v<Handle, MPI_Comm>) return PMPI_Comm_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Datatype>) return PMPI_Type_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Errhandler>) return PMPI_Errhandler_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_File>) return PMPI_File_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Group>) return PMPI_Group_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Info>) return PMPI_Info_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Message>) return PMPI_Message_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Op>) return PMPI_Op_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Request>) return PMPI_Request_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Session>) return PMPI_Session_fromint(number);
  if constexpr (std::is_same_v<Handle, MPI_Win>) return PMPI_Win_fromint(number);
}

// Whether it is the handle of a predefined object. The empty statement keeps the compiler from
// joining two such questions, which takes a register more than it saves.
inline bool is_predefined(Fint number) {
  asm volatile("");
  return static_cast<std::uint32_t>(number) < predefined_max;
}

// The handle of a predefined object.
template <class Handle>
Handle predefined(Fint number) {
  return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(static_cast<std::uint32_t>(number)));
}

template <class Handle>
Handle handle(Fint number) {
  if (static_cast<std::uint32_t>(number) < predefined_max)
    return reinterpret_cast<Handle>(static_cast<std::uintptr_t>(number));
  return from_number<Handle>(number);
}

inline Fint to_number(MPI_Comm handle) {
  return PMPI_Comm_toint(handle);
}
inline Fint to_number(MPI_Datatype handle) {
  return PMPI_Type_toint(handle);
}
inline Fint to_number(MPI_Errhandler handle) {
  return PMPI_Errhandler_toint(handle);
}
inline Fint to_number(MPI_File handle) {
  return PMPI_File_toint(handle);
}
inline Fint to_number(MPI_Group handle) {
  return PMPI_Group_toint(handle);
}
inline Fint to_number(MPI_Info handle) {
  return PMPI_Info_toint(handle);
}
inline Fint to_number(MPI_Message handle) {
  return PMPI_Message_toint(handle);
}
inline Fint to_number(MPI_Op handle) {
  return PMPI_Op_toint(handle);
}
inline Fint to_number(MPI_Request handle) {
  return PMPI_Request_toint(handle);
}
inline Fint to_number(MPI_Session handle) {
  return PMPI_Session_toint(handle);
}
inline Fint to_number(MPI_Win handle) {
  return PMPI_Win_toint(handle);
}

template <class Handle>
Fint number(Handle handle) {
  const auto value = reinterpret_cast<std::uintptr_t>(handle);
  return value < predefined_max ? static_cast<Fint>(value) : to_number(handle);
}

// An array of handles as C has it.
template <class Handle>
class Handles {
 public:
  explicit Handles(std::int64_t count) : count_(count < 0 ? 0 : count) {
    if (count_ > few) more_ = std::make_unique<Handle[]>(static_cast<std::size_t>(count_));
  }
  Handles(const Fint* numbers, std::int64_t count) : Handles(count) {
    for (std::int64_t i = 0; i < count_; ++i) data()[i] = handle<Handle>(numbers[i]);
  }
  Handle* data() { return more_ ? more_.get() : few_; }
  void put(Fint* numbers) {
    for (std::int64_t i = 0; i < count_; ++i) numbers[i] = number(data()[i]);
  }

 private:
  static constexpr int few = 64;
  std::int64_t count_;
  Handle few_[few];
  std::unique_ptr<Handle[]> more_;
};

// --- strings. Fortran's are padded with blanks, C's end with a null.

class Text {
 public:
  enum Strip { trailing, both_ends };
  Text(const char* words, std::size_t length, Strip strip = trailing) {
    while (length > 0 && words[length - 1] == ' ') --length;
    if (strip == both_ends)
      while (length > 0 && *words == ' ') ++words, --length;
    if (length >= sizeof few_) more_ = std::make_unique<char[]>(length + 1);
    std::memcpy(text(), words, length);
    text()[length] = 0;
  }
  char* c_str() const { return more_ ? more_.get() : const_cast<char*>(few_); }

 private:
  char* text() { return more_ ? more_.get() : few_; }
  char few_[256];
  std::unique_ptr<char[]> more_;
};

// Writes C's string into Fortran's: cut off, or padded with blanks.
inline void fill(char* words, std::size_t length, const char* text) {
  const std::size_t written = strnlen(text, length);
  std::memcpy(words, text, written);
  std::memset(words + written, ' ', length - written);
}

}  // namespace baton::fortran
