// Open files (MPI 5.0, "I/O"). A File has a communicator of its own, a descriptor of this process,
// the view, and the pointers; open.cpp makes it. It is used by api/.
// Invariant: what all ranks must know alike (amode, atomicity, the order of collective calls) is
// changed by collective calls only.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <mutex>

#include "base/error.hpp"
#include "base/file_counts.hpp"
#include "base/handle_table.hpp"
#include "file/hint.hpp"
#include "file/lost_data.hpp"
#include "file/view.hpp"
#include "platform/file_mapping.hpp"
#include "platform/lock.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"

namespace baton::file {

struct Board;        // board.hpp
struct SplitAccess;  // access_all.hpp

class File {
 public:
  ErrorTarget errors{ObjectKind::file};
  MPI_File handle = MPI_FILE_NULL;
  Communicator* comm = nullptr;  // the file's own
  char* name = nullptr;          // owned
  int amode = 0;
  int descriptor = -1;
  bool readable = false;  // by the descriptor: also where amode is write-only, if permitted
  // Short runs may be read and written through a mapping.
  bool maps_reads = false, maps_writes = false;
  bool atomic = false;
  std::mutex atomic_lock;  // of atomic mode: the kernel's locks do not part threads of this rank
  platform::FileMapping mapping;
  std::mutex mapping_lock;  // threads in the background take it, too
  Hints hints;
  View view;
  std::int64_t individual = 0;  // the individual file pointer, in etypes of the view

  // The page that the ranks of a node share: the shared pointer, and the state of exchanges
  // (board.hpp). Null: this rank cannot reach it.
  Board* board = nullptr;
  bool owns_board = false;
  char* staging = nullptr;  // memory of exchanges, of the same owner; null: not made, or none
  bool owns_staging = false;
  bool staging_is_settled = false;  // it is mapped here, and reserved if this rank owns it
  std::uint32_t accesses = 0;       // collective accesses begun
  std::uint32_t decided = 0;        // of these, those whose way is chosen
  std::uint64_t chunks = 0;         // of staging memory, used by them so far

  SplitAccess* split = nullptr;  // the split collective access that is under way
  LostData lost;
  FileCounts counts{};
  File* next = nullptr;  // in the list of open files
  platform::Lock lock;   // of the individual pointer

  int rank() const { return comm->rank(); }
  int ranks() const { return comm->size(); }
  bool has(int mode) const { return (amode & mode) != 0; }
};

using FileTable = HandleTable<File, HandleTag::file>;
extern FileTable files;

// Opens a file, collectively over `comm`. Errors of one rank are errors of all, and no file is open
// then: MPI_ERR_AMODE, MPI_ERR_NOT_SAME, MPI_ERR_NO_SUCH_FILE, MPI_ERR_FILE_EXISTS,
// MPI_ERR_ACCESS, MPI_ERR_BAD_FILE, MPI_ERR_NO_MEM and those of failure.hpp, explained.
Error open(Communicator& comm, const char* name, int amode, const Info* info, File** opened);
// Closes it, collectively; also deletes it where the amode says so.
Error close(File& file);
Error delete_file(const char* name);
// Tells of data that was lost in files that the program leaves open. When MPI ends.
void tell_of_open_files();

// These are collective over the file's communicator.
Error set_size(File& file, MPI_Offset bytes);
Error preallocate(File& file, MPI_Offset bytes);
Error set_atomicity(File& file, bool atomic);
Error sync(File& file);

// Sets the view (view.hpp); both pointers go to its beginning.
Error set_view(File& file, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
               const char* representation, const Info* info);

Error get_size(File& file, MPI_Offset* bytes);

// Checks that the file may be read or written in this way, by the amode. Errors: MPI_ERR_ACCESS,
// MPI_ERR_READ_ONLY, MPI_ERR_UNSUPPORTED_OPERATION, explained.
Error check_mode(const File& file, bool writes, bool by_shared_pointer);

// Meets all ranks of the file.
Error meet(File& file);
// Gathers `bytes` of each rank.
Error gather(File& file, const void* mine, std::int64_t bytes, void* all);
// Makes an error of one rank an error of all: those that have none get the class of the first that
// has one, explained.
Error share_error(File& file, Error error, const char* doing);

}  // namespace baton::file

namespace baton {
using file::File;
}
