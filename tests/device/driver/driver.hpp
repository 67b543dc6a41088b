// A stand-in for NVIDIA's driver library, for tests on machines without a device: a libcuda.so.1
// whose memory nobody may touch, whose streams are threads, and which refuses what the real one
// refuses. It is written from the documentation of the driver's interface and from what was
// measured on a device (docs/device-memory.md). What happens where the documentation leaves
// behaviour open is the worst that it allows. The parts share this header; Baton does not know it.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "standin.h"

namespace standin {

using Result = int;
enum : Result {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  invalid_context = 201,
  already_mapped = 208,
  invalid_handle = 400,
  not_found = 500,
  not_ready = 600,
  launch_failed = 719
};

struct Context {
  std::uint64_t id;
  int device;
  bool is_primary = false;
  int uses = 0;
};

struct Block {
  std::uintptr_t start;
  std::size_t bytes;
  char* view;  // where its bytes can be touched
  std::uint64_t id;
  StandinKind kind;
  Context* context;  // null: it belongs to none
  off_t offset;      // of its bytes in the memory file
  int file;          // of its own, of what has descriptors
  bool is_mapped;    // host memory: kernels reach it
};

// Work of one context, in order, by a thread of its own.
class Stream {
 public:
  explicit Stream(Context* owner) : context(owner), thread_([this] { work(); }) {}
  ~Stream();
  void add(std::function<void()> job);
  void drain();
  Context* const context;

 private:
  void work();
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool busy_ = false, ends_ = false;
  std::thread thread_;
};

struct Event {
  Context* context;
  std::atomic<int> recorded{0}, reached{0};
};

// All that there is in this process. The lock is held by every entry point but for waiting.
struct State {
  std::recursive_mutex lock;
  pid_t process = 0;  // that has called cuInit; 0: none has
  std::atomic<bool> is_lost{false};
  int memory_file = -1;
  char *space = nullptr, *views = nullptr;  // addresses nobody may touch, and the same bytes
  std::map<std::uintptr_t, Block> blocks;
  std::map<std::uintptr_t, std::size_t> gaps;  // addresses that were freed
  std::size_t used = 0;
  std::uint64_t last_id = 0, last_context_id = 0;
  std::set<Context*> contexts;
  std::set<Stream*> streams;
  std::set<Event*> events;
  std::map<std::pair<pid_t, std::uint64_t>, std::uintptr_t> imports;
  std::atomic<long> copies{0}, questions{0}, launches{0}, registrations{0}, flushes{0};
};
extern State& state;

// Returns what the environment says of a fault, a number; 0: not set.
long fault(const char* name);

// Says whether calls work in this process: initialized, no child of who did that, nothing lost.
Result ready();
Context* current_context();
// Finds a stream of the current context.
Result stream_of_current(void* handle, Stream** stream);
void end_modules_of(const Context* context);
long module_count();
// Memory of cuMemCreate: makes it, and lets it go.
bool make_shareable(Block& block);
void drop_mapping(const Block& block);
long mapping_count();
// Memory of a pool with descriptors, of the handle `pool` or (null) one for tests; and what of
// others is open.
bool make_pooled(Block& block, void* pool);
void drop_pooled(const Block& block);
void* pool_of(const Block& block);
long pool_import_count();
// Host memory that is registered; and the address by which kernels reach a place in it, which the
// documentation lets be another one.
bool is_host(const Block& block);
std::uint64_t reached(std::uintptr_t address);
// A block that holds the address; null: none does.
Block* find_block(std::uintptr_t address);
// Makes a block, in the state's space or at `place`.
Block* make_block(StandinKind kind, std::size_t bytes, std::uintptr_t place);
void drop_block(std::uintptr_t start);
// Takes addresses that nobody may touch; 0: there are none left.
std::uintptr_t take_addresses(std::size_t bytes);
void give_addresses_back(std::uintptr_t start, std::size_t bytes);
char* touchable(std::uintptr_t address);

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace standin

#define STANDIN_CALL extern "C" __attribute__((visibility("default"))) int
#define STANDIN_READY                               \
  const std::lock_guard guard(standin::state.lock); \
  if (const standin::Result bad = standin::ready()) return bad
