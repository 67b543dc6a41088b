// A range of a file as memory that this process reads and writes. Stores change exactly the bytes
// they are meant for, whatever other processes write beside them, and need no system call each.
// Invariant: neither a full device nor another process that shortens the file ends this process:
// the signal of a page that cannot be made, or is gone (SIGBUS), is caught.
#pragma once

#include <cstdint>

namespace baton::platform {

class FileMapping {
 public:
  FileMapping() = default;
  ~FileMapping() { close(); }
  FileMapping(const FileMapping&) = delete;
  FileMapping& operator=(const FileMapping&) = delete;

  // Makes the bytes [first, first + bytes) of the file ready to be written; the file becomes long
  // enough. `makes_pages`: most of its pages will be written, so all are made at once. A range that
  // was ready before stays mapped. Returns 0 or an errno.
  int open_to_write(int descriptor, std::int64_t first, std::int64_t bytes, bool makes_pages);
  // Makes them ready to be read. `writable`: the descriptor is. Returns 0 or an errno; ENODATA: the
  // file ends before the range does.
  int open_to_read(int descriptor, bool writable, std::int64_t first, std::int64_t bytes);
  // Returns whether all pages of a range have been made for this mapping, to be read or written,
  // and the file has not been shortened since.
  bool is_ready(int descriptor, std::int64_t first, std::int64_t bytes) const;
  // Returns where the byte at an address of the file lies, of a range that is ready.
  char* at(std::int64_t address) const { return base_ + (address - first_); }
  // Calls act(state), which reads or writes the mapping, and does nothing else that matters.
  // Returns false if a page could not be made or read, or the file has lost it; then some of the
  // loads and stores may not have happened. One thread at a time.
  bool access(void (*act)(void* state), void* state);
  void close();

 private:
  char* base_ = nullptr;
  std::int64_t first_ = 0, bytes_ = 0;  // whole pages
  std::int64_t ready_first_ = 0, ready_end_ = 0;

  int map(int descriptor, bool writable, std::int64_t first, std::int64_t bytes);
  bool was_ready(std::int64_t first, std::int64_t bytes) const {
    return first >= ready_first_ && first + bytes <= ready_end_;
  }
  void note_ready(std::int64_t first, std::int64_t bytes);
  int advise(int advice, std::int64_t first, std::int64_t bytes) const;
};

// Returns whether the file lies on a file system of this kernel whose mapped pages and transfers
// are the same memory (tmpfs, ext4, XFS, Btrfs and the like; no network file system).
bool is_mappable_file(int descriptor);

// Returns whether a range of a file seems to lie in the kernel's cache, by some of its bytes. False
// also where the file has holes, for which reading through a mapping would make pages, or ends
// before the range does.
bool is_in_memory(int descriptor, std::int64_t first, std::int64_t bytes);

}  // namespace baton::platform
