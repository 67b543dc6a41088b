// Files of the program, by descriptor: opening, transfers from or to an offset, size, space, locks.
// Each function returns 0 or an errno. Interrupted and short calls are repeated, so that a transfer
// ends by an error, at the end of the file, or when all has moved. It is called by file/.
#pragma once

#include <sys/uio.h>

#include <cstdint>

namespace baton::platform {

// Opens a file with open(2)'s flags; permissions as for a new file of the user (0666 and the
// umask). The descriptor is not inherited by exec.
int open_file(const char* path, int flags, int* descriptor);
void close_file(int descriptor);
int delete_file(const char* path);

// These move the pieces one after the other from or to the bytes at `offset`. `*moved` says how
// many bytes have moved, also after an error; in a read fewer than asked without an error mean the
// end of the file. The pieces are changed.
int read_file(int descriptor, std::int64_t offset, iovec* pieces, int count, std::int64_t* moved);
int write_file(int descriptor, std::int64_t offset, iovec* pieces, int count, std::int64_t* moved);
// These do so for one piece.
int read_file(int descriptor, std::int64_t offset, void* data, std::int64_t bytes,
              std::int64_t* moved);
int write_file(int descriptor, std::int64_t offset, const void* data, std::int64_t bytes,
               std::int64_t* moved);
// Returns whether the byte at an offset lies in the kernel's cache, so that reading it waits for no
// device; false also where the file system does not say.
bool is_cached(int descriptor, std::int64_t offset);
// The most pieces of one transfer.
inline constexpr int file_pieces_max = 1024;  // IOV_MAX of Linux

int file_bytes(int descriptor, std::int64_t* bytes);
int set_file_bytes(int descriptor, std::int64_t bytes);
// Makes sure that the first `bytes` of the file have space. The file becomes at least so long, and
// no byte changes.
int reserve_file_space(int descriptor, std::int64_t bytes);
// Returns when all that was written to the file is on its device.
int flush_file(int descriptor);

// Locks a range for all other holders of the file, of this process or another, until it is
// unlocked or the descriptor is closed (a lock of the open file description). Waits for it.
// ENOLCK, EOPNOTSUPP and the like: the file system has no such locks.
enum class FileLock { shared, exclusive };
int lock_file(int descriptor, FileLock kind, std::int64_t offset, std::int64_t bytes);
void unlock_file(int descriptor, std::int64_t offset, std::int64_t bytes);

// Lets a write beyond a limit on file sizes (ulimit -f) fail with EFBIG instead of ending the
// process, unless the program has a handler for SIGXFSZ.
void refuse_writes_beyond_limit();

}  // namespace baton::platform
