#include "api/file.hpp"

#include <cstring>

#include "api/group.hpp"
#include "datatype/construct.hpp"
#include "file/board.hpp"
#include "file/lost_data.hpp"
#include "world/group.hpp"

namespace baton::api {

namespace {

// Gives the program a handle of a type of the view: a new one, unless the type is predefined.
Error give_type(Datatype& type, MPI_Datatype* handle) {
  Datatype* made = nullptr;
  if (Error error = datatype::equivalent(type, &made)) return error;
  *handle = made->handle;
  return MPI_SUCCESS;
}

// Finds where a pointer goes: an offset in etypes from the beginning, from `now`, or from the end.
Error target_of_seek(File& file, MPI_Offset offset, int whence, MPI_Offset now,
                     MPI_Offset* target) {
  MPI_Offset base = 0;
  if (whence == MPI_SEEK_CUR) {
    base = now;
  } else if (whence == MPI_SEEK_END) {
    std::int64_t bytes;
    if (Error error = file::get_size(file, &bytes)) return error;
    const std::int64_t each = file.view.etype_bytes();
    if (each > 0 && file.view.tile_bytes() > 0)
      base = (file.view.position_before(bytes) + each - 1) / each;
  } else if (whence != MPI_SEEK_SET) {
    return fail(MPI_ERR_ARG,
                "argument 3 (whence) is %d; it must be MPI_SEEK_SET, MPI_SEEK_CUR or MPI_SEEK_END",
                whence);
  }
  if (__builtin_add_overflow(base, offset, target) || *target < 0)
    return fail(MPI_ERR_ARG,
                "argument 2 (offset) is %lld, which leads to %lld etypes before the beginning of "
                "the view",
                static_cast<long long>(offset), -static_cast<long long>(base + offset));
  return MPI_SUCCESS;
}

Error check_sequential(const File& file) {
  if (!file.has(MPI_MODE_SEQUENTIAL)) return MPI_SUCCESS;
  return fail(MPI_ERR_UNSUPPORTED_OPERATION,
              "%.200s was opened with MPI_MODE_SEQUENTIAL, so it has no place to seek", file.name);
}

}  // namespace

Error file_open(Communicator& comm, const char* filename, int amode, const Info* info,
                MPI_File* handle) {
  File* opened = nullptr;
  if (Error error = file::open(comm, filename, amode, info, &opened)) return error;
  *handle = opened->handle;
  return MPI_SUCCESS;
}

Error file_close(MPI_File* handle) {
  File* file = file::files.find(*handle);
  if (!file)
    return fail(MPI_ERR_FILE, "argument 1 (fh) is %s",
                *handle == MPI_FILE_NULL ? "MPI_FILE_NULL" : "no open file");
  if (file::is_split_under_way(*file)) last_explanation().target = &file->errors;
  const Error error = file::close(*file);
  if (!file::files.find(*handle)) *handle = MPI_FILE_NULL;
  return error;
}

Error file_delete(const char* filename, const Info*) {
  return file::delete_file(filename);
}

Error file_get_group(File& file, MPI_Group* group) {
  return give_copy(*file.comm->local, group);
}

Error file_get_amode(File& file, int* amode) {
  *amode = file.amode;
  return MPI_SUCCESS;
}

Error file_set_info(File& file, const Info* info) {
  file::update_hints(file.hints, info, true);
  world::promise_kinds(file.comm->hints, file.hints.asserted_kinds);
  return MPI_SUCCESS;
}

Error file_get_info(File& file, MPI_Info* handle) {
  Info* info = nullptr;
  if (Error error = create_info(&info)) return error;
  if (Error error = file::describe_hints(file.hints, file.ranks(),
                                         world::memory_kinds_of(*file.comm->local), *info)) {
    free_info(*info);
    return error;
  }
  *handle = info->handle;
  return MPI_SUCCESS;
}

Error file_get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype,
                    MPI_Datatype* filetype, char* representation) {
  if (Error error = give_type(*file.view.etype, etype)) return error;
  if (Error error = give_type(*file.view.filetype, filetype)) return error;
  *displacement = file.view.displacement;
  std::strcpy(representation, file.view.representation->name);
  return MPI_SUCCESS;
}

Error file_get_type_extent(File& file, Datatype& type, std::int64_t* extent) {
  Datatype* stored = nullptr;
  if (Error error = file::stored_type(*file.view.representation, type, &stored)) return error;
  *extent = stored->extent;
  datatype::release(*stored);
  return MPI_SUCCESS;
}

Error register_datarep(const char* name, MPI_Datarep_conversion_function* read,
                       MPI_Datarep_conversion_function* write, MPI_Datarep_extent_function* extent,
                       void* extra_state) {
  return file::register_representation(
      name, {.read = read, .write = write, .extent = extent, .extra_state = extra_state});
}

Error register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                       MPI_Datarep_conversion_function_c* write,
                       MPI_Datarep_extent_function* extent, void* extra_state) {
  return file::register_representation(
      name, {.read_wide = read, .write_wide = write, .extent = extent, .extra_state = extra_state});
}

Error file_seek(File& file, MPI_Offset offset, int whence) {
  if (Error error = check_sequential(file)) return error;
  platform::Guard guard(file.lock);
  MPI_Offset target;
  if (Error error = target_of_seek(file, offset, whence, file.individual, &target)) return error;
  file.individual = target;
  return MPI_SUCCESS;
}

Error file_seek_shared(File& file, MPI_Offset offset, int whence) {
  MPI_Offset now = 0, target = 0;
  // No rank moves the pointer while others still ask where it is, and none uses it before it has
  // moved.
  if (Error error = file::meet(file)) return error;
  Error error = file::add_to_shared_pointer(file, 0, &now);
  if (!error) error = target_of_seek(file, offset, whence, now, &target);
  if (Error failed = file::share_error(file, error, "seeking the shared pointer")) return failed;
  if (file.rank() == 0) error = file::set_shared_pointer(file, target);
  if (Error failed = file::meet(file)) return failed;
  return error;
}

Error file_get_position(File& file, MPI_Offset* offset) {
  if (Error error = check_sequential(file)) return error;
  platform::Guard guard(file.lock);
  *offset = file.individual;
  return MPI_SUCCESS;
}

Error file_get_position_shared(File& file, MPI_Offset* offset) {
  return file::add_to_shared_pointer(file, 0, offset);
}

Error file_get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement) {
  if (offset < 0)
    return fail(MPI_ERR_ARG, "argument 2 (offset) is %lld; it must be at least 0",
                static_cast<long long>(offset));
  if (file.view.tile_bytes() == 0)
    *displacement = file.view.displacement;
  else
    *displacement = file.view.address(offset * file.view.etype_bytes());
  return MPI_SUCCESS;
}

Error file_get_atomicity(File& file, int* flag) {
  *flag = file.atomic;
  return MPI_SUCCESS;
}

}  // namespace baton::api
