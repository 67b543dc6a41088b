#include "transport/arena.hpp"

#include <unistd.h>

#include "platform/lock.hpp"
#include "platform/memory_file.hpp"

namespace baton::transport {

Arena arena;

namespace {

struct JobFile {
  int descriptor = -1;
  int launcher = 0;    // the process that also has the file; 0: none
  int inherited = -1;  // the file's descriptor in that process
  platform::FileIdentity identity;
  platform::Lock lock;  // always taken
} file;

}  // namespace

void keep_job_file(int descriptor, int launcher) {
  file.identity = platform::file_identity(descriptor);
  file.launcher = launcher;
  file.inherited = descriptor;
  file.descriptor = platform::move_to_high_number(descriptor);
}

int job_file() {
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

}  // namespace baton::transport
