#include "file/failure.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace baton::file {

namespace {

struct ErrnoClass {
  int error;
  Error error_class;
  const char* remedy;  // or nothing
};
constexpr ErrnoClass classes[] = {
    {ENOENT, MPI_ERR_NO_SUCH_FILE, "; MPI_MODE_CREATE makes a file that does not exist"},
    {EEXIST, MPI_ERR_FILE_EXISTS, "; MPI_MODE_EXCL allows no file that exists"},
    {EACCES, MPI_ERR_ACCESS, ""},
    {EPERM, MPI_ERR_ACCESS, ""},
    {EROFS, MPI_ERR_READ_ONLY, ""},
    {ETXTBSY, MPI_ERR_FILE_IN_USE, ""},
    {EBUSY, MPI_ERR_FILE_IN_USE, ""},
    {ENOTDIR, MPI_ERR_BAD_FILE, ""},
    {EISDIR, MPI_ERR_BAD_FILE, ""},
    {ELOOP, MPI_ERR_BAD_FILE, ""},
    {ENAMETOOLONG, MPI_ERR_BAD_FILE, ""},
    {ENXIO, MPI_ERR_BAD_FILE, ""},
    {ESPIPE, MPI_ERR_UNSUPPORTED_OPERATION, "; pipes have no offsets"},
    {EOPNOTSUPP, MPI_ERR_UNSUPPORTED_OPERATION, ""},
    {ENOSPC, MPI_ERR_NO_SPACE, "; the file system is full"},
    {EFBIG, MPI_ERR_NO_SPACE, "; the file would be longer than allowed (ulimit -f)"},
    {EDQUOT, MPI_ERR_QUOTA, ""},
    {ENOMEM, MPI_ERR_NO_MEM, ""},
};

const ErrnoClass* find(int error) {
  for (const ErrnoClass& each : classes)
    if (each.error == error) return &each;
  return nullptr;
}

}  // namespace

Error class_of_errno(int error) {
  const ErrnoClass* found = find(error);
  return found ? found->error_class : MPI_ERR_IO;
}

Error explain_errno(int error, const char* name, const char* doing) {
  const ErrnoClass* found = find(error);
  return fail(class_of_errno(error), "%s failed for %.200s: %s%s", doing, name,
              std::strerror(error), found ? found->remedy : "");
}

Error explain_transfer(int error, const char* name, bool writes, std::int64_t address,
                       std::int64_t bytes) {
  char doing[80];
  std::snprintf(doing, sizeof doing, "%s %lld bytes at byte %lld", writes ? "writing" : "reading",
                static_cast<long long>(bytes), static_cast<long long>(address));
  return explain_errno(error, name, doing);
}

}  // namespace baton::file
