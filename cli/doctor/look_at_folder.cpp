#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/doctor/folder.hpp"
#include "platform/file.hpp"
#include "platform/file_mapping.hpp"
#include "platform/io_uring.hpp"

namespace baton::cli::doctor {

namespace {

// Returns the type of the file system that holds a path, from the list of mounts of this process.
std::string file_system_of(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return "";
  const std::string device =
      std::to_string(major(about.st_dev)) + ":" + std::to_string(minor(about.st_dev));
  std::ifstream mounts("/proc/self/mountinfo");
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words(line);
    std::string number, parent, its_device, word;
    words >> number >> parent >> its_device;
    while (words >> word && word != "-") continue;
    if (its_device == device && words >> word) return word;
  }
  return "";
}

int try_mapping(int file) {
  platform::FileMapping mapping;
  constexpr std::int64_t bytes = 4096;
  if (const int error = mapping.open_to_write(file, 0, bytes, true)) return error;
  auto store = [](void* memory) { *static_cast<char*>(memory) = 1; };
  if (!mapping.access(store, mapping.at(0))) return EIO;
  char read = 0;
  std::int64_t moved = 0;
  if (const int error = platform::read_file(file, 0, &read, 1, &moved)) return error;
  return read == 1 ? 0 : EIO;
}

int try_direct(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_DIRECT | O_CLOEXEC);
  if (file < 0) return errno;
  constexpr std::size_t page = 4096;
  void* memory = nullptr;
  int error = ::posix_memalign(&memory, page, page);
  if (error == 0 && ::pread(file, memory, page, 0) < 0) error = errno;
  std::free(memory);
  ::close(file);
  return error;
}

int try_uring() {
  platform::IoUring ring;
  const int error = ring.open(4);
  if (error == 0) ring.close();
  return error;
}

}  // namespace

Folder look_at_folder(const std::string& path) {
  Folder facts;
  facts.path = path;
  facts.file_system = file_system_of(path);
  facts.uring_error = try_uring();
  std::string name = path + "/baton-doctor-XXXXXX";
  const int file = ::mkostemp(name.data(), O_CLOEXEC);
  if (file < 0) {
    facts.make_error = errno;
    return facts;
  }
  struct statvfs space {};
  if (::fstatvfs(file, &space) == 0) facts.free_bytes = space.f_bavail * space.f_frsize;
  facts.of_this_kernel = platform::is_mappable_file(file);
  facts.lock_error = platform::lock_file(file, platform::FileLock::exclusive, 0, 1);
  if (::fallocate(file, 0, 0, 1 << 16) != 0) facts.reserve_error = errno;
  facts.map_error = try_mapping(file);
  facts.direct_error = try_direct(name);
  ::close(file);
  ::unlink(name.c_str());
  return facts;
}

}  // namespace baton::cli::doctor
