// A range of a file as memory that this process writes. Stores change exactly the bytes they are
// meant for, whatever other processes write beside them, and need no system call each.
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
  int open(int descriptor, std::int64_t first, std::int64_t bytes, bool makes_pages);
  // Returns where the byte at an address of the file lies, of a range that is ready.
  char* at(std::int64_t address) const { return base_ + (address - first_); }
  // Calls store(state), which writes to the mapping, and nothing else that matters. Returns false
  // if a page could not be made, or the file has lost it; then some of the stores may be lost. One
  // thread at a time.
  bool write(void (*store)(void* state), void* state);
  void close();

 private:
  char* base_ = nullptr;
  std::int64_t first_ = 0, bytes_ = 0;  // whole pages
};

// Returns whether the file lies on a file system of this kernel whose mapped pages and transfers
// are the same memory (tmpfs, ext4, XFS, Btrfs and the like; no network file system).
bool is_mappable_file(int descriptor);

}  // namespace baton::platform
