// What `mpiexec --export-heap` preloads: jemalloc as the program's malloc, with blocks of 64 KiB
// and more in an arena of their own. When the library has attached to the job, that arena gets its
// memory from the rank's part of the job's memory file, through jemalloc's extent hooks.
// Invariant: no other process ever writes to this one's blocks, but where MPI was told to; a child
// has a copy, made before fork returns in either of the two.
#include <dlfcn.h>
#include <fcntl.h>
#include <jemalloc/jemalloc.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/cache_line.hpp"
#include "base/report.hpp"
#include "platform/fork.hpp"
#include "platform/memory_file.hpp"
#include "platform/program_heap.hpp"

// Read by jemalloc at its start; MALLOC_CONF in the environment goes on top.
extern "C" [[gnu::visibility("default")]] const char* malloc_conf;
const char* malloc_conf = "oversize_threshold:65536";

namespace {

constexpr std::size_t large_bytes = 65536;  // as in malloc_conf
// Freed blocks keep their memory so long, for the next one. Guess: a program's loop comes round
// sooner, and its other phases last longer.
constexpr ssize_t keep_ms = 1000;

baton::platform::ProgramHeap heap{};
bool exporting = false;        // set before the hooks are; not in children: theirs is private
std::uint64_t used_bytes = 0;  // under the lock
pthread_mutex_t used_lock = PTHREAD_MUTEX_INITIALIZER;

bool in_heap(const void* address) {
  return static_cast<const char*>(address) >= heap.address &&
         static_cast<const char*>(address) < heap.address + heap.bytes;
}

// The next bytes of the heap. Address space is never given back: jemalloc keeps and reuses it.
char* take(void* wanted, std::size_t bytes, std::size_t alignment) {
  pthread_mutex_lock(&used_lock);
  std::uint64_t base = reinterpret_cast<std::uint64_t>(heap.address);
  std::uint64_t start = baton::round_up(base + used_bytes, alignment) - base;
  bool fits = start <= heap.bytes && bytes <= heap.bytes - start &&
              (!wanted || wanted == heap.address + start);
  if (fits) used_bytes = start + bytes;
  pthread_mutex_unlock(&used_lock);
  if (fits) baton::platform::set_dumped(heap.address + start, bytes, true);
  return fits ? heap.address + start : nullptr;
}

bool make_sure(char* address, std::size_t bytes) {
  return !exporting || !heap.make_sure || heap.make_sure(address, bytes);
}

void* hook_alloc(extent_hooks_t*, void* wanted, std::size_t bytes, std::size_t alignment,
                 bool* zero, bool* commit, unsigned) {
  if (char* address = take(wanted, bytes, alignment)) {
    // What it asks for is more than it needs now; of that alone it makes sure by hook_commit.
    if (*commit && !make_sure(address, bytes)) return nullptr;
    *commit = *commit || !exporting || !heap.make_sure;
    *zero = true;
    return address;
  }
  // Beyond the heap: memory that peers do not reach by themselves.
  if (wanted) return nullptr;
  void* address = baton::platform::make_private_memory(bytes, alignment);
  if (address) *zero = *commit = true;
  return address;
}

// A block that is gone keeps its address space only.
bool hook_decommit(extent_hooks_t*, void* address, std::size_t, std::size_t offset,
                   std::size_t bytes, unsigned) {
  char* start = static_cast<char*>(address) + offset;
  if (in_heap(start) && exporting) {
    std::uint64_t in_file = heap.offset + static_cast<std::uint64_t>(start - heap.address);
    baton::platform::release_memory(heap.file(), in_file, bytes);
    return false;
  }
  return madvise(start, bytes, MADV_DONTNEED) != 0;
}

bool hook_commit(extent_hooks_t*, void* address, std::size_t, std::size_t offset, std::size_t bytes,
                 unsigned) {
  char* start = static_cast<char*>(address) + offset;
  return in_heap(start) && !make_sure(start, bytes);
}

bool hook_split(extent_hooks_t*, void*, std::size_t, std::size_t, std::size_t, bool, unsigned) {
  return false;
}

bool hook_merge(extent_hooks_t*, void* first, std::size_t, void* second, std::size_t, bool,
                unsigned) {
  return in_heap(first) != in_heap(second);
}

// Without `dalloc` jemalloc keeps address space; without `purge_lazy` it gives memory back at once.
extent_hooks_t hooks{hook_alloc, nullptr,       nullptr,    hook_commit, hook_decommit,
                     nullptr,    hook_decommit, hook_split, hook_merge};

// A program that brings its own is asked before our libraries are.
bool malloc_is_ours() {
  Dl_info found{}, ours{};
  return dladdr(dlsym(RTLD_DEFAULT, "malloc"), &found) && dladdr(&hooks, &ours) &&
         found.dli_fbase == ours.dli_fbase;
}

// The arena that large blocks come from; -1: jemalloc does not say.
int large_arena() {
  void* block = std::malloc(large_bytes);
  unsigned arena = 0;
  std::size_t bytes = sizeof arena;
  bool ours = block && mallctl("arenas.lookup", &arena, &bytes, &block, sizeof block) == 0;
  std::free(block);
  return ours ? static_cast<int>(arena) : -1;
}

// A control of jemalloc; `%d` in its name is the arena.
template <class T>
bool set(const char* format, int arena, T value) {
  char name[64];
  std::snprintf(name, sizeof name, format, arena);
  return mallctl(name, nullptr, nullptr, &value, sizeof value) == 0;
}

// The parent waits on it until its child has copied the heap, or died: both close the other end.
// Made in time for the next fork, since then there may be no descriptors left.
int pipe_ends[2] = {-1, -1};

void renew_pipe() {
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) pipe_ends[0] = pipe_ends[1] = -1;
}

void close_pipe() {
  close(pipe_ends[0]);
  close(pipe_ends[1]);
  pipe_ends[0] = pipe_ends[1] = -1;
}

[[noreturn]] void end_child(const char* why) {
  constexpr char text[] =
      "baton: --export-heap: a child of this rank ends, since it cannot have a copy of its "
      "memory: ";
  baton::write_report(text, sizeof text - 1);
  baton::write_report(why, std::strlen(why));
  baton::write_report("\n", 1);
  _exit(127);
}

// Asked for before the fork: in the child, locks of other threads may stay taken.
int file_at_fork = -1;

// System calls and memcpy only.
void copy_heap() {
  const auto offset = static_cast<off_t>(heap.offset);
  const off_t end = offset + static_cast<off_t>(used_bytes);
  void* source = mmap(nullptr, std::max<std::size_t>(used_bytes, 1), PROT_READ, MAP_SHARED,
                      file_at_fork, offset);
  if (source == MAP_FAILED) end_child(std::strerror(errno));
  void* target = mmap(heap.address, heap.bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  if (target == MAP_FAILED) end_child(std::strerror(errno));
  for (off_t at = offset; at < end;) {
    at = lseek(file_at_fork, at, SEEK_DATA);
    if (at < 0 || at >= end) break;
    off_t hole = std::min(lseek(file_at_fork, at, SEEK_HOLE), end);
    if (hole <= at) break;
    std::memcpy(heap.address + (at - offset), static_cast<char*>(source) + (at - offset),
                static_cast<std::size_t>(hole - at));
    at = hole;
  }
  munmap(source, std::max<std::size_t>(used_bytes, 1));
}

void before_fork() {
  pthread_mutex_lock(&used_lock);
  if (exporting && pipe_ends[0] < 0) renew_pipe();
  if (exporting) file_at_fork = heap.file();
}

void after_fork_in_parent() {
  if (pipe_ends[0] >= 0) {
    close(pipe_ends[1]);
    char byte;
    while (read(pipe_ends[0], &byte, 1) < 0 && errno == EINTR) {
    }
    close(pipe_ends[0]);
    renew_pipe();
  }
  pthread_mutex_unlock(&used_lock);
}

void after_fork_in_child() {
  if (exporting) {
    if (pipe_ends[0] < 0) end_child("there are no file descriptors left (ulimit -n)");
    copy_heap();
    close_pipe();
    exporting = false;
  }
  pthread_mutex_unlock(&used_lock);
}

// Before the program can register its own, which may use what these make.
[[gnu::constructor(101)]] void watch_forks() {
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

}  // namespace

// The one of glibc's functions that jemalloc lacks.
extern "C" [[gnu::visibility("default")]] void* pvalloc(std::size_t bytes) {
  return std::aligned_alloc(baton::page_bytes, baton::round_up(bytes, baton::page_bytes));
}

const char* baton_export_program_heap(const baton::platform::ProgramHeap* wanted) {
  if (!malloc_is_ours()) return "the program brings a malloc of its own";
  int arena = large_arena();
  if (arena < 0) return "jemalloc has no arena for large blocks (MALLOC_CONF?)";
  renew_pipe();
  if (pipe_ends[0] < 0) return "there are no file descriptors left (ulimit -n)";
  heap = *wanted;
  baton::platform::keep_from_children(heap.address, heap.bytes);
  exporting = true;
  if (!set("arena.%d.extent_hooks", arena, &hooks)) {
    exporting = false;
    close_pipe();
    return "jemalloc refuses its extent hooks";
  }
  // There jemalloc would give back at once whatever is freed.
  set("arena.%d.oversize_threshold", arena, std::size_t{1} << 62);
  set("arena.%d.dirty_decay_ms", arena, keep_ms);
  set("arena.%d.muzzy_decay_ms", arena, ssize_t{0});
  // Somebody has to give memory back when the program frees and then only computes.
  set("max_background_threads", 0, std::size_t{1});
  set("background_thread", 0, true);
  return nullptr;
}

std::uint64_t baton_program_heap_used() {
  pthread_mutex_lock(&used_lock);
  std::uint64_t bytes = used_bytes;
  pthread_mutex_unlock(&used_lock);
  return bytes;
}
