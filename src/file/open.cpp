// Opening and closing of files, and what all ranks do to a file together.
#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "base/failure_class.hpp"
#include "collective/form.hpp"
#include "file/access.hpp"
#include "file/background.hpp"
#include "file/board.hpp"
#include "file/explain.hpp"
#include "file/failure.hpp"
#include "file/file.hpp"
#include "platform/file.hpp"
#include "transport/node.hpp"
#include "world/agree/agree.hpp"

namespace baton::file {

FileTable files;

namespace {

// Agreements of all ranks go by the plane of collectives, where messages fail once any member is
// lost: nobody else could revoke a communicator that the program does not see.
world::Members all_ranks(const File& file) {
  return file.comm->members(world::agreement_tag);
}

// This is what the first rank tells all others when a file is opened.
struct Opening {
  std::int64_t error;
  std::uint64_t board, staging;  // addresses; 0: not for others
  std::int64_t amode;
};

Error bad_amode(int amode, const char* why) {
  return fail(MPI_ERR_AMODE, "argument 3 (amode) is 0x%x: %s", static_cast<unsigned>(amode), why);
}

Error check_amode(int amode) {
  constexpr int known = MPI_MODE_RDONLY | MPI_MODE_RDWR | MPI_MODE_WRONLY | MPI_MODE_CREATE |
                        MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_UNIQUE_OPEN |
                        MPI_MODE_SEQUENTIAL | MPI_MODE_APPEND;
  if (amode & ~known) return bad_amode(amode, "it has bits that are no MPI_MODE of files");
  const int ways =
      !!(amode & MPI_MODE_RDONLY) + !!(amode & MPI_MODE_RDWR) + !!(amode & MPI_MODE_WRONLY);
  if (ways != 1)
    return bad_amode(amode,
                     "it needs exactly one of MPI_MODE_RDONLY, MPI_MODE_RDWR and MPI_MODE_WRONLY");
  if ((amode & MPI_MODE_RDONLY) && (amode & (MPI_MODE_CREATE | MPI_MODE_EXCL)))
    return bad_amode(amode, "MPI_MODE_RDONLY does not go with MPI_MODE_CREATE or MPI_MODE_EXCL");
  if ((amode & MPI_MODE_RDWR) && (amode & MPI_MODE_SEQUENTIAL))
    return bad_amode(amode, "MPI_MODE_RDWR does not go with MPI_MODE_SEQUENTIAL");
  return MPI_SUCCESS;
}

// Opens the file for this process. A file that the program only writes is opened for reading, too,
// where that is permitted. `creates`: this rank makes the file, if that is to be done.
Error open_descriptor(File& file, bool creates) {
  int extra = 0;
  if (creates && file.has(MPI_MODE_CREATE)) extra |= O_CREAT;
  if (creates && file.has(MPI_MODE_EXCL)) extra |= O_EXCL;
  int error;
  if (file.has(MPI_MODE_RDONLY)) {
    error = platform::open_file(file.name, O_RDONLY, &file.descriptor);
    file.readable = true;
  } else {
    platform::refuse_writes_beyond_limit();
    error = platform::open_file(file.name, O_RDWR | extra, &file.descriptor);
    file.readable = true;
    if (error == EACCES && file.has(MPI_MODE_WRONLY)) {
      error = platform::open_file(file.name, O_WRONLY | extra, &file.descriptor);
      file.readable = false;
    }
  }
  if (!error) {
    file.maps_reads = file.readable && platform::is_mappable_file(file.descriptor);
    file.maps_writes = file.maps_reads && !file.has(MPI_MODE_RDONLY);
    return MPI_SUCCESS;
  }
  file.descriptor = -1;
  return explain_errno(error, file.name, "opening");
}

// Makes the object with a communicator of its own.
Error prepare(Communicator& parent, const char* name, int amode, const Info* info, File** made) {
  listen();
  Communicator* comm = nullptr;
  if (Error error = world::make_for_object(parent, "files", "opened", &comm)) return error;
  auto* file = new (std::nothrow) File;
  if (file) {
    file->name = ::strdup(name);
    file->handle = files.add(file);
  }
  // The other ranks wait for this rank, so the job ends here if there is no memory even for this.
  BATON_INVARIANT(file && file->name && file->handle != nullptr);
  file->comm = comm;
  comm->errors_of_requests = &file->errors;
  std::snprintf(comm->name, sizeof comm->name, "file %.*s",
                static_cast<int>(sizeof comm->name - sizeof "file "), name);
  file->amode = amode;
  file->errors.mpi_handle = file->handle;
  inherit_error_handler(file->errors, error_handling.file_target);
  set_default_view(file->view);
  file->hints.collective_bytes =
      std::max(file->hints.collective_bytes, file->ranks() * collective_bytes_a_rank);
  update_hints(file->hints, info, false);
  world::promise_kinds(comm->hints, file->hints.asserted_kinds);
  *made = file;
  return MPI_SUCCESS;
}

// Gives up the file when all ranks do so, or after an error.
void dispose(File& file) {
  if (file.descriptor >= 0) platform::close_file(file.descriptor);
  free_board(file);
  release_view(file.view);
  files.remove(file.handle);
  (void)world::free_communicator(*file.comm);
  std::free(file.name);
  delete &file;
}

// The first rank opens the file, since it may have to make it; then the others do.
Error open_together(File& file) {
  Error error = check_amode(file.amode);
  const bool is_first = file.rank() == 0;
  Opening opening{error, 0, 0, file.amode};
  if (is_first) {
    if (!error) error = open_descriptor(file, true);
    if (!error) error = make_board(file);
    opening.error = error;
    if (!error) {
      list_file(file);
      opening.board = board_address(file);
      if (file.ranks() > 1) opening.staging = make_staging(file);
    }
  }
  if (file.ranks() == 1) return error;
  const world::Members members = all_ranks(file);
  Explanation why = last_explanation();
  Opening first = opening;
  if (Error failed = world::agree_broadcast(members, 0, &first, sizeof first)) return failed;
  if (!is_first && first.error) {
    if (error) {
      last_explanation() = why;
      return error;
    }
    return fail(static_cast<Error>(first.error),
                "rank 0 could not open %.200s, so no rank has opened it", file.name);
  }
  if (!is_first) {  // also with an error, since the first rank waits for what this one tells there
    reach_board(file, first.board);
    reach_staging(file, first.staging);
  }
  if (is_first) {
    if (error) last_explanation() = why;
  } else if (!error) {
    if (first.amode != file.amode)
      error = fail(MPI_ERR_NOT_SAME,
                   "argument 3 (amode) is 0x%x here and 0x%x on rank 0; all ranks must open a "
                   "file with the same amode",
                   static_cast<unsigned>(file.amode), static_cast<unsigned>(first.amode));
    else
      error = open_descriptor(file, false);
  }
  if (first.error) return error;
  return share_error(file, error, "opening");
}

// No rank goes on before all have found the end and the shared pointer is there.
Error set_append_position(File& file) {
  if (!file.has(MPI_MODE_APPEND)) return MPI_SUCCESS;
  Error error = get_size(file, &file.individual);
  if (!error && file.rank() == 0) error = set_shared_pointer(file, file.individual);
  return file.ranks() == 1 ? error : share_error(file, error, "finding the end");
}

// Has the first rank do something to the file when all have come, and tells all how it went.
template <class Do>
Error by_first_rank(File& file, const char* doing, Do&& act) {
  if (Error error = meet(file)) return error;
  Error error = MPI_SUCCESS;
  if (file.rank() == 0)
    if (const int failed = act()) error = explain_errno(failed, file.name, doing);
  return file.ranks() == 1 ? error : share_error(file, error, doing);
}

// Checks that all ranks give the same number.
Error check_same(File& file, std::int64_t number, const char* argument) {
  if (file.ranks() == 1) return MPI_SUCCESS;
  std::int64_t first = number;
  if (Error error = world::agree_broadcast(all_ranks(file), 0, &first, sizeof first)) return error;
  const Error error =
      first == number
          ? MPI_SUCCESS
          : fail(MPI_ERR_NOT_SAME,
                 "argument 2 (%s) is %lld here and %lld on rank 0; all ranks must give "
                 "the same",
                 argument, static_cast<long long>(number), static_cast<long long>(first));
  return share_error(file, error, "comparing arguments");
}

Error check_bytes(std::int64_t bytes) {
  if (bytes >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument 2 (size) is %lld; it must be at least 0",
              static_cast<long long>(bytes));
}

}  // namespace

Error meet(File& file) {
  return collective::run_now([&] {
    return collective::Call{
        .kind = collective::Kind::barrier, .comm = file.comm, .out = {}, .in = {}};
  });
}

Error gather(File& file, const void* mine, std::int64_t bytes, void* all) {
  return world::agree_allgather(all_ranks(file), mine, bytes, all);
}

Error share_error(File& file, Error error, const char* doing) {
  const Explanation why = last_explanation();
  const auto ranks = static_cast<std::size_t>(file.ranks());
  auto* all = static_cast<std::int64_t*>(std::malloc(ranks * sizeof(std::int64_t)));
  BATON_INVARIANT(all != nullptr);
  const std::int64_t mine = error;
  Error failed = gather(file, &mine, sizeof mine, all);
  int first = 0;
  for (; !failed && first < file.ranks() && all[first] == MPI_SUCCESS;) ++first;
  const Error theirs = failed || first == file.ranks() ? failed : static_cast<Error>(all[first]);
  std::free(all);
  if (error) {
    last_explanation() = why;
    return error;
  }
  if (theirs && !failed)
    return fail(theirs, "%s failed for %.200s on rank %d, so it has failed for all", doing,
                file.name, first);
  return theirs;
}

Error open(Communicator& comm, const char* name, int amode, const Info* info, File** opened) {
  // Programs that give the prefix of a ROMIO file system mean the file behind it.
  for (const char* prefix : {"ufs:", "nfs:", "lustre:", "gpfs:", "testfs:"})
    if (std::strncmp(name, prefix, std::strlen(prefix)) == 0) name += std::strlen(prefix);
  File* file = nullptr;
  if (Error error = prepare(comm, name, amode, info, &file)) return error;
  Error error = open_together(*file);
  if (!error) error = set_append_position(*file);
  if (error) {
    const Explanation why = last_explanation();
    if (file->rank() == 0 && file->owns_board) unlist_file(*file);
    tell_left(*file);
    dispose(*file);
    last_explanation() = why;
    return error;
  }
  note_open_file();
  *opened = file;
  return MPI_SUCCESS;
}

// The first rank deletes the file. Where a rank has failed it may be that one, so all do it then.
static Error delete_at_close(File& file, Error error) {
  const int failed = file.rank() == 0 ? platform::delete_file(file.name) : 0;
  if (failed && !error) error = explain_errno(failed, file.name, "deleting at close");
  error = share_error(file, error, "deleting at close");
  if (error == error_process_failed && file.rank() != 0) (void)platform::delete_file(file.name);
  return error;
}

Error close(File& file) {
  if (is_split_under_way(file))
    return fail(MPI_ERR_OTHER,
                "a split collective access is under way on %.200s; its end function must be called "
                "first",
                file.name);
  tell_left(file);
  Error error = meet(file);
  explain(file);
  if (file.has(MPI_MODE_DELETE_ON_CLOSE)) error = delete_at_close(file, error);
  note_closed_file();
  tell_of_lost_data(file.lost, file.errors);
  if (file.owns_board) unlist_file(file);
  dispose(file);
  return error;
}

void tell_of_open_files() {
  files.for_each([](MPI_File, File* file) {
    explain(*file);
    tell_of_lost_data(file->lost, file->errors);
  });
}

Error delete_file(const char* name) {
  const int error = platform::delete_file(name);
  return error ? explain_errno(error, name, "deleting") : MPI_SUCCESS;
}

Error set_size(File& file, MPI_Offset bytes) {
  if (Error error = check_bytes(bytes)) return error;
  if (Error error = check_mode(file, true, true)) return error;
  if (Error error = check_same(file, bytes, "size")) return error;
  const Error error = by_first_rank(
      file, "setting the size", [&] { return platform::set_file_bytes(file.descriptor, bytes); });
  std::lock_guard guard(file.mapping_lock);
  file.mapping.close();  // pages that it has made may be cut off
  return error;
}

Error preallocate(File& file, MPI_Offset bytes) {
  if (Error error = check_bytes(bytes)) return error;
  if (Error error = check_mode(file, true, true)) return error;
  if (Error error = check_same(file, bytes, "size")) return error;
  return by_first_rank(file, "reserving space",
                       [&] { return platform::reserve_file_space(file.descriptor, bytes); });
}

Error set_atomicity(File& file, bool atomic) {
  if (Error error = check_same(file, atomic, "flag")) return error;
  if (Error error = meet(file)) return error;
  file.atomic = atomic;
  return MPI_SUCCESS;
}

Error sync(File& file) {
  const int failed = file.has(MPI_MODE_RDONLY) ? 0 : platform::flush_file(file.descriptor);
  const Error error =
      failed ? explain_errno(failed, file.name, "writing to the device") : MPI_SUCCESS;
  if (error) note_lost_data(file.lost);
  return file.ranks() == 1 ? error : share_error(file, error, "writing to the device");
}

Error set_view(File& file, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
               const char* representation, const Info* info) {
  Error error = MPI_SUCCESS;
  const bool sequential = file.has(MPI_MODE_SEQUENTIAL);
  if (displacement == MPI_DISPLACEMENT_CURRENT) {
    std::int64_t etypes = 0;
    if (!sequential)
      error = fail(MPI_ERR_ARG,
                   "argument 2 (disp) is MPI_DISPLACEMENT_CURRENT, which is for files opened with "
                   "MPI_MODE_SEQUENTIAL");
    else
      error = add_to_shared_pointer(file, 0, &etypes);
    if (!error) displacement = file.view.address(etypes * file.view.etype_bytes());
  } else if (sequential) {
    error = fail(MPI_ERR_ARG,
                 "argument 2 (disp): a file opened with MPI_MODE_SEQUENTIAL needs "
                 "MPI_DISPLACEMENT_CURRENT");
  }
  // The shared pointer moves when all ranks have taken their displacement from it.
  if (sequential)
    if (Error failed = meet(file)) return failed;
  if (!error)
    error = change_view(file.view, displacement, etype, filetype, representation,
                        !file.has(MPI_MODE_RDONLY));
  if (!error) {
    file.individual = 0;
    update_hints(file.hints, info, true);
    world::promise_kinds(file.comm->hints, file.hints.asserted_kinds);
    if (file.rank() == 0) error = set_shared_pointer(file, 0);
  }
  return file.ranks() == 1 ? error : share_error(file, error, "setting the view");
}

Error get_size(File& file, MPI_Offset* bytes) {
  const int error = platform::file_bytes(file.descriptor, bytes);
  return error ? explain_errno(error, file.name, "asking for the size") : MPI_SUCCESS;
}

}  // namespace baton::file
