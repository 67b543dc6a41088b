// A view of a file: where the bytes lie that a rank sees, one after the other (MPI 5.0, "File
// Views"). The filetype repeats without end behind the displacement. A position counts the bytes
// that the rank sees; an address counts bytes of the file.
// Invariant: positions and addresses ascend together wherever `ascends` says so; elsewhere each run
// is moved by itself.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "datatype/ascending.hpp"
#include "datatype/datatype.hpp"
#include "file/representation.hpp"

namespace baton::file {

using datatype::ByteRun;

// Says what is known of how the ranks' views fit together: see exchange.hpp.
struct TileMark {
  std::uint64_t around = 0;  // where the tile is taken as a ring
  std::uint64_t once = 0;    // where the tile is taken once
};

struct View {
  MPI_Offset displacement = 0;
  // These are the types as the program gave them, and as they lie in the file, where the data
  // representation gives elements other sizes. All are held.
  Datatype* etype = nullptr;
  Datatype* filetype = nullptr;
  Datatype* stored_etype = nullptr;
  Datatype* stored_filetype = nullptr;
  const Representation* representation = nullptr;

  // These follow from the stored filetype.
  datatype::AddressSpan span;
  bool contiguous = true;  // all bytes from `start` on
  std::int64_t start = 0;  // address of the first byte
  bool ascends = true;
  std::int64_t average_bytes = 0;  // of a run
  TileMark mark;
  bool is_marked = false;  // `mark` has been computed

  std::int64_t etype_bytes() const { return stored_etype->size; }
  std::int64_t tile_bytes() const { return stored_filetype->size; }
  std::int64_t extent() const { return stored_filetype->extent; }
  // Returns the address of the byte at a position.
  std::int64_t address(std::int64_t position) const;
  // Returns how many of the bytes that the rank sees lie before an address. The view ascends.
  std::int64_t position_before(std::int64_t address) const;
  // Returns how many bytes from a position on lie within so many addresses; at least 1.
  std::int64_t bytes_within(std::int64_t position, std::int64_t addresses) const;
  // Lists runs as datatype::list_runs does; offsets are addresses.
  int list(std::int64_t position, std::int64_t bytes, ByteRun* runs, int space,
           std::int64_t* listed) const;
  // Returns where the filetype's origin would lie in memory that has the file's bytes from
  // `address` on.
  char* origin(char* memory, std::int64_t address_of_memory) const {
    return memory + (displacement - address_of_memory);
  }
};

// Sets the view with which a file is opened: all its bytes.
void set_default_view(View& view);
// Sets a view; the old one stays where this fails. `writes`: the file may be written, so the
// filetype must not overlap itself. Errors: MPI_ERR_TYPE, MPI_ERR_ARG, MPI_ERR_UNSUPPORTED_DATAREP,
// MPI_ERR_NO_MEM, explained.
Error change_view(View& view, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
                  const char* representation, bool writes);
void release_view(View& view);

}  // namespace baton::file
