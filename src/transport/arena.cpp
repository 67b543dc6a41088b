#include "transport/arena.hpp"

#include <unistd.h>

#include <new>

#include "platform/lock.hpp"
#include "platform/memory_file.hpp"

namespace baton::transport {

Arena job_arena;
platform::Lock arenas_lock;

struct MemoryFile {
  int descriptor = -1;
  int launcher = 0;    // the process that also has the file; 0: none
  int inherited = -1;  // the file's descriptor in that process
  platform::FileIdentity identity;
  platform::Lock lock;  // always taken
};

bool keep_file(Arena& arena, int descriptor, int launcher) {
  arena.file = new (std::nothrow) MemoryFile;
  if (!arena.file) return false;
  arena.file->identity = platform::file_identity(descriptor);
  arena.file->launcher = launcher;
  arena.file->inherited = descriptor;
  arena.file->descriptor = platform::move_to_high_number(descriptor);
  return true;
}

int file_of(const Arena& arena) {
  MemoryFile& file = *arena.file;
  file.lock.lock();
  if (platform::file_identity(file.descriptor) != file.identity) {
    file.descriptor = -1;
    const int again =
        file.launcher ? platform::open_from_process(file.launcher, file.inherited) : -1;
    if (again >= 0 && platform::file_identity(again) == file.identity)
      file.descriptor = platform::move_to_high_number(again);
    else if (again >= 0)
      close(again);
  }
  const int descriptor = file.descriptor;
  file.lock.unlock();
  return descriptor;
}

void forget_file(Arena& arena) {
  if (const int descriptor = file_of(arena); descriptor >= 0) close(descriptor);
  delete arena.file;
  arena.file = nullptr;
}

}  // namespace baton::transport
