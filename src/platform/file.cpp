#include "platform/file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "platform/memory_file.hpp"

namespace baton::platform {

namespace {

// Repeats a call that a signal has interrupted. Returns 0 or an errno.
template <class Call>
int repeat(Call call) {
  while (call() != 0)
    if (errno != EINTR) return errno;
  return 0;
}

// Moves the pieces by calls that move some bytes each and return how many.
template <class Call>
int move_all(std::int64_t offset, iovec* pieces, int count, std::int64_t* moved, Call call) {
  *moved = 0;
  while (count > 0) {
    if (pieces->iov_len == 0) {
      ++pieces;
      --count;
      continue;
    }
    const ssize_t bytes = call(pieces, std::min(count, file_pieces_max), offset + *moved);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return errno;
    if (bytes == 0) return 0;
    *moved += bytes;
    for (auto left = static_cast<std::size_t>(bytes); left > 0;) {
      const std::size_t taken = std::min(left, pieces->iov_len);
      pieces->iov_base = static_cast<char*>(pieces->iov_base) + taken;
      pieces->iov_len -= taken;
      left -= taken;
      if (pieces->iov_len == 0) ++pieces, --count;
    }
  }
  return 0;
}

int set_lock(int descriptor, short type, std::int64_t offset, std::int64_t bytes) {
  struct flock range {};
  range.l_type = type;
  range.l_whence = SEEK_SET;
  range.l_start = offset;
  range.l_len = bytes;
  return repeat([&] { return fcntl(descriptor, F_OFD_SETLKW, &range); });
}

}  // namespace

int open_file(const char* path, int flags, int* descriptor) {
  constexpr mode_t permissions = 0666;
  const int error = repeat([&] {
    *descriptor = open(path, flags | O_CLOEXEC, permissions);
    return *descriptor < 0 ? -1 : 0;
  });
  if (!error) *descriptor = move_to_high_number(*descriptor);
  return error;
}

void close_file(int descriptor) {
  close(descriptor);
}

int delete_file(const char* path) {
  return repeat([&] { return unlink(path); });
}

int read_file(int descriptor, std::int64_t offset, iovec* pieces, int count, std::int64_t* moved) {
  return move_all(offset, pieces, count, moved, [=](iovec* some, int number, off_t at) {
    return preadv(descriptor, some, number, at);
  });
}

int write_file(int descriptor, std::int64_t offset, iovec* pieces, int count, std::int64_t* moved) {
  return move_all(offset, pieces, count, moved, [=](iovec* some, int number, off_t at) {
    return pwritev(descriptor, some, number, at);
  });
}

int read_file(int descriptor, std::int64_t offset, void* data, std::int64_t bytes,
              std::int64_t* moved) {
  iovec piece{data, static_cast<std::size_t>(bytes)};
  return read_file(descriptor, offset, &piece, 1, moved);
}

int write_file(int descriptor, std::int64_t offset, const void* data, std::int64_t bytes,
               std::int64_t* moved) {
  iovec piece{const_cast<void*>(data), static_cast<std::size_t>(bytes)};
  return write_file(descriptor, offset, &piece, 1, moved);
}

bool is_cached(int descriptor, std::int64_t offset) {
  char byte;
  const iovec piece{&byte, 1};
  if (preadv2(descriptor, &piece, 1, offset, RWF_NOWAIT) >= 0) return true;
  // tmpfs has no other place than memory, and does not know the flag.
  struct statfs about {};
  constexpr auto tmpfs = 0x01021994;
  return errno == EOPNOTSUPP && fstatfs(descriptor, &about) == 0 && about.f_type == tmpfs;
}

int file_bytes(int descriptor, std::int64_t* bytes) {
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return errno;
  *bytes = about.st_size;
  return 0;
}

int set_file_bytes(int descriptor, std::int64_t bytes) {
  return repeat([=] { return ftruncate(descriptor, bytes); });
}

int reserve_file_space(int descriptor, std::int64_t bytes) {
  if (bytes == 0) return 0;
  int error;
  do error = posix_fallocate(descriptor, 0, bytes);
  while (error == EINTR);
  return error;
}

int flush_file(int descriptor) {
  const int error = repeat([=] { return fsync(descriptor); });
  return error == EINVAL || error == EROFS ? 0 : error;  // a file that has no device behind it
}

int lock_file(int descriptor, FileLock kind, std::int64_t offset, std::int64_t bytes) {
  return set_lock(descriptor, kind == FileLock::shared ? F_RDLCK : F_WRLCK, offset, bytes);
}

void unlock_file(int descriptor, std::int64_t offset, std::int64_t bytes) {
  (void)set_lock(descriptor, F_UNLCK, offset, bytes);
}

void refuse_writes_beyond_limit() {
  struct sigaction present {};
  if (sigaction(SIGXFSZ, nullptr, &present) != 0) return;
  if (present.sa_handler == SIG_DFL && !(present.sa_flags & SA_SIGINFO)) signal(SIGXFSZ, SIG_IGN);
}

}  // namespace baton::platform
