// These are the bodies of the procedures about files.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "base/error.hpp"
#include "file/access.hpp"
#include "file/file.hpp"
#include "world/error_handler.hpp"

namespace baton::api {

// Returns where errors of a call go whose file may be MPI_FILE_NULL, which stands for files that
// are not open (yet).
inline ErrorTarget* target_of_file(File* file) {
  return file ? &file->errors : &error_handling.file_target;
}

// These are in error.cpp.
Error file_create_errhandler(MPI_File_errhandler_function* function, MPI_Errhandler* errhandler);
Error file_set_errhandler(File* file, ErrorHandler& errhandler);
Error file_get_errhandler(File* file, MPI_Errhandler* errhandler);
Error file_call_errhandler(File* file, int errorcode);

Error file_open(Communicator& comm, const char* filename, int amode, const Info* info,
                MPI_File* handle);
Error file_close(MPI_File* handle);
Error file_delete(const char* filename, const Info* info);
inline Error file_set_size(File& file, MPI_Offset size) {
  return file::set_size(file, size);
}
inline Error file_preallocate(File& file, MPI_Offset size) {
  return file::preallocate(file, size);
}
inline Error file_get_size(File& file, MPI_Offset* size) {
  return file::get_size(file, size);
}
Error file_get_group(File& file, MPI_Group* group);
Error file_get_amode(File& file, int* amode);
Error file_set_info(File& file, const Info* info);
Error file_get_info(File& file, MPI_Info* info);

inline Error file_set_view(File& file, MPI_Offset displacement, Datatype& etype, Datatype& filetype,
                           const char* representation, const Info* info) {
  return file::set_view(file, displacement, etype, filetype, representation, info);
}
Error file_get_view(File& file, MPI_Offset* displacement, MPI_Datatype* etype,
                    MPI_Datatype* filetype, char* representation);
Error file_get_type_extent(File& file, Datatype& type, std::int64_t* extent);
Error register_datarep(const char* name, MPI_Datarep_conversion_function* read,
                       MPI_Datarep_conversion_function* write, MPI_Datarep_extent_function* extent,
                       void* extra_state);
Error register_datarep(const char* name, MPI_Datarep_conversion_function_c* read,
                       MPI_Datarep_conversion_function_c* write,
                       MPI_Datarep_extent_function* extent, void* extra_state);

Error file_seek(File& file, MPI_Offset offset, int whence);
Error file_seek_shared(File& file, MPI_Offset offset, int whence);
Error file_get_position(File& file, MPI_Offset* offset);
Error file_get_position_shared(File& file, MPI_Offset* offset);
Error file_get_byte_offset(File& file, MPI_Offset offset, MPI_Offset* displacement);

inline Error file_set_atomicity(File& file, int flag) {
  return file::set_atomicity(file, flag != 0);
}
Error file_get_atomicity(File& file, int* flag);
inline Error file_sync(File& file) {
  return file::sync(file);
}

// ---- reads and writes

using file::Pointer;

inline file::Access reading(Pointer pointer, MPI_Offset offset, void* buffer, std::int64_t count,
                            Datatype& type) {
  return {false, pointer, offset, buffer, count, &type};
}
inline file::Access writing(Pointer pointer, MPI_Offset offset, const void* buffer,
                            std::int64_t count, Datatype& type) {
  return {true, pointer, offset, const_cast<void*>(buffer), count, &type};
}

inline Error file_read_at(File& file, MPI_Offset offset, void* buffer, std::int64_t count,
                          Datatype& type, MPI_Status* status) {
  return file::access(file, reading(Pointer::offset, offset, buffer, count, type), status);
}
inline Error file_iread_at(File& file, MPI_Offset offset, void* buffer, std::int64_t count,
                           Datatype& type, MPI_Request* request) {
  return file::start_access(file, reading(Pointer::offset, offset, buffer, count, type), request);
}
inline Error file_read(File& file, void* buffer, std::int64_t count, Datatype& type,
                       MPI_Status* status) {
  return file::access(file, reading(Pointer::individual, 0, buffer, count, type), status);
}
inline Error file_iread(File& file, void* buffer, std::int64_t count, Datatype& type,
                        MPI_Request* request) {
  return file::start_access(file, reading(Pointer::individual, 0, buffer, count, type), request);
}
inline Error file_read_shared(File& file, void* buffer, std::int64_t count, Datatype& type,
                              MPI_Status* status) {
  return file::access(file, reading(Pointer::shared, 0, buffer, count, type), status);
}
inline Error file_iread_shared(File& file, void* buffer, std::int64_t count, Datatype& type,
                               MPI_Request* request) {
  return file::start_access(file, reading(Pointer::shared, 0, buffer, count, type), request);
}
inline Error file_read_at_all(File& file, MPI_Offset offset, void* buffer, std::int64_t count,
                              Datatype& type, MPI_Status* status) {
  return file::access_all(file, reading(Pointer::offset, offset, buffer, count, type), status);
}
inline Error file_iread_at_all(File& file, MPI_Offset offset, void* buffer, std::int64_t count,
                               Datatype& type, MPI_Request* request) {
  return file::start_access_all(file, reading(Pointer::offset, offset, buffer, count, type),
                                request);
}
inline Error file_read_at_all_begin(File& file, MPI_Offset offset, void* buffer, std::int64_t count,
                                    Datatype& type) {
  return file::begin_access_all(file, reading(Pointer::offset, offset, buffer, count, type));
}
inline Error file_read_at_all_end(File& file, void*, MPI_Status* status) {
  return file::end_access_all(file, false, Pointer::offset, status);
}
inline Error file_read_all(File& file, void* buffer, std::int64_t count, Datatype& type,
                           MPI_Status* status) {
  return file::access_all(file, reading(Pointer::individual, 0, buffer, count, type), status);
}
inline Error file_iread_all(File& file, void* buffer, std::int64_t count, Datatype& type,
                            MPI_Request* request) {
  return file::start_access_all(file, reading(Pointer::individual, 0, buffer, count, type),
                                request);
}
inline Error file_read_all_begin(File& file, void* buffer, std::int64_t count, Datatype& type) {
  return file::begin_access_all(file, reading(Pointer::individual, 0, buffer, count, type));
}
inline Error file_read_all_end(File& file, void*, MPI_Status* status) {
  return file::end_access_all(file, false, Pointer::individual, status);
}
inline Error file_read_ordered(File& file, void* buffer, std::int64_t count, Datatype& type,
                               MPI_Status* status) {
  return file::access_all(file, reading(Pointer::shared, 0, buffer, count, type), status);
}
inline Error file_read_ordered_begin(File& file, void* buffer, std::int64_t count, Datatype& type) {
  return file::begin_access_all(file, reading(Pointer::shared, 0, buffer, count, type));
}
inline Error file_read_ordered_end(File& file, void*, MPI_Status* status) {
  return file::end_access_all(file, false, Pointer::shared, status);
}
inline Error file_write_at(File& file, MPI_Offset offset, const void* buffer, std::int64_t count,
                           Datatype& type, MPI_Status* status) {
  return file::access(file, writing(Pointer::offset, offset, buffer, count, type), status);
}
inline Error file_iwrite_at(File& file, MPI_Offset offset, const void* buffer, std::int64_t count,
                            Datatype& type, MPI_Request* request) {
  return file::start_access(file, writing(Pointer::offset, offset, buffer, count, type), request);
}
inline Error file_write(File& file, const void* buffer, std::int64_t count, Datatype& type,
                        MPI_Status* status) {
  return file::access(file, writing(Pointer::individual, 0, buffer, count, type), status);
}
inline Error file_iwrite(File& file, const void* buffer, std::int64_t count, Datatype& type,
                         MPI_Request* request) {
  return file::start_access(file, writing(Pointer::individual, 0, buffer, count, type), request);
}
inline Error file_write_shared(File& file, const void* buffer, std::int64_t count, Datatype& type,
                               MPI_Status* status) {
  return file::access(file, writing(Pointer::shared, 0, buffer, count, type), status);
}
inline Error file_iwrite_shared(File& file, const void* buffer, std::int64_t count, Datatype& type,
                                MPI_Request* request) {
  return file::start_access(file, writing(Pointer::shared, 0, buffer, count, type), request);
}
inline Error file_write_at_all(File& file, MPI_Offset offset, const void* buffer,
                               std::int64_t count, Datatype& type, MPI_Status* status) {
  return file::access_all(file, writing(Pointer::offset, offset, buffer, count, type), status);
}
inline Error file_iwrite_at_all(File& file, MPI_Offset offset, const void* buffer,
                                std::int64_t count, Datatype& type, MPI_Request* request) {
  return file::start_access_all(file, writing(Pointer::offset, offset, buffer, count, type),
                                request);
}
inline Error file_write_at_all_begin(File& file, MPI_Offset offset, const void* buffer,
                                     std::int64_t count, Datatype& type) {
  return file::begin_access_all(file, writing(Pointer::offset, offset, buffer, count, type));
}
inline Error file_write_at_all_end(File& file, const void*, MPI_Status* status) {
  return file::end_access_all(file, true, Pointer::offset, status);
}
inline Error file_write_all(File& file, const void* buffer, std::int64_t count, Datatype& type,
                            MPI_Status* status) {
  return file::access_all(file, writing(Pointer::individual, 0, buffer, count, type), status);
}
inline Error file_iwrite_all(File& file, const void* buffer, std::int64_t count, Datatype& type,
                             MPI_Request* request) {
  return file::start_access_all(file, writing(Pointer::individual, 0, buffer, count, type),
                                request);
}
inline Error file_write_all_begin(File& file, const void* buffer, std::int64_t count,
                                  Datatype& type) {
  return file::begin_access_all(file, writing(Pointer::individual, 0, buffer, count, type));
}
inline Error file_write_all_end(File& file, const void*, MPI_Status* status) {
  return file::end_access_all(file, true, Pointer::individual, status);
}
inline Error file_write_ordered(File& file, const void* buffer, std::int64_t count, Datatype& type,
                                MPI_Status* status) {
  return file::access_all(file, writing(Pointer::shared, 0, buffer, count, type), status);
}
inline Error file_write_ordered_begin(File& file, const void* buffer, std::int64_t count,
                                      Datatype& type) {
  return file::begin_access_all(file, writing(Pointer::shared, 0, buffer, count, type));
}
inline Error file_write_ordered_end(File& file, const void*, MPI_Status* status) {
  return file::end_access_all(file, true, Pointer::shared, status);
}

}  // namespace baton::api
