#include "file/queued_read.hpp"

#include <pthread.h>

#include <algorithm>
#include <cerrno>
#include <mutex>
#include <new>

#include "base/settings.hpp"
#include "file/failure.hpp"
#include "platform/file.hpp"
#include "platform/io_uring.hpp"
#include "platform/thread.hpp"

namespace baton::file {

namespace {

// Measured on ext4, a virtual disk of 1.6 GB/s, Xeon (model 167), 2026-11-28, with a compiler
// beside it, ms for reads that are not cached, at random, by the queue and by four threads: 2048 of
// 4 KiB 37, 73; 512 of 16 KiB 13, 25; 256 of 128 KiB 28, 45; 64 of 512 KiB 29, 35; 64 of 1 MiB 56,
// 56; one after the other 64 of 1 MiB 49, 39. Reads that are cached: 32 of 1 MiB 10, 5.
constexpr std::int64_t queued_run_bytes_max = 512 << 10;
// Shorter runs are not worth a read each; guess. A thread would make a call for each of them, too
// (transfer.cpp).
constexpr std::int64_t queued_run_bytes_min = 16 << 10;
constexpr int reads_max = 64;                     // under way, of all accesses; guess
constexpr int parts_max = 16;                     // under way, of one access; guess
constexpr std::int64_t part_bytes_max = 1 << 30;  // the kernel moves less than 2^31 in one call

struct QueuedAccess;

// Bytes of an access that are under way.
struct Part {
  QueuedAccess* of = nullptr;  // null: nothing is under way here
  char* data;
  std::int64_t address;
  std::int64_t bytes;
};

struct QueuedAccess {
  BackgroundAccess* access;
  char* data;
  std::int64_t begun = 0;  // bytes
  int under_way = 0;       // parts
  bool stops = false;      // after an error, or the end of the file
  Part parts[parts_max];
  QueuedAccess* next_waiting = nullptr;

  bool has_more() const { return !stops && begun < access->placed.bytes; }
};

// It is never destroyed: the thread of a program that leaves files open sleeps here until the
// process is gone.
struct Queue {
  std::mutex lock;  // of all but waiting for completions
  platform::IoUring ring;
  pthread_t taker = {};           // of completions
  bool is_refused = false;        // by the kernel; it is not asked again
  int under_way = 0;              // reads
  QueuedAccess* first = nullptr;  // accesses that have nothing under way for want of space
  QueuedAccess* last = nullptr;
};
constinit Queue queue;

void add(Part& part) {
  File& file = *part.of->access->file;
  queue.ring.add(
      {file.descriptor, part.data, part.address, static_cast<std::uint32_t>(part.bytes), &part});
  FileCounts::add(file.counts.system_calls, 1);
}

// Begins as much of an access as there is space for. Under the lock.
void begin_parts(QueuedAccess& queued) {
  const View& view = queued.access->file->view;
  const Placed& placed = queued.access->placed;
  while (queued.has_more() && queued.under_way < parts_max && queue.under_way < reads_max) {
    ByteRun run;
    std::int64_t listed;
    view.list(placed.position + queued.begun, placed.bytes - queued.begun, &run, 1, &listed);
    Part& part = *std::find_if(queued.parts, queued.parts + parts_max,
                               [](const Part& each) { return each.of == nullptr; });
    part = {&queued, queued.data + queued.begun, run.offset, std::min(run.bytes, part_bytes_max)};
    queued.begun += part.bytes;
    ++queued.under_way;
    ++queue.under_way;
    add(part);
  }
}

void wait_for_space(QueuedAccess& queued) {
  queued.next_waiting = nullptr;
  (queue.first ? queue.last->next_waiting : queue.first) = &queued;
  queue.last = &queued;
}

// Begins accesses that wait, the first one first.
void begin_waiting() {
  while (queue.first && queue.under_way < reads_max) {
    QueuedAccess* waiting = queue.first;
    queue.first = waiting->next_waiting;
    begin_parts(*waiting);
  }
}

// Takes what a read has done. Returns whether the part is over.
bool take(Part& part, int result) {
  QueuedAccess& queued = *part.of;
  BackgroundAccess& access = *queued.access;
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result < 0)
    access.note_error(
        explain_transfer(-result, access.file->name, false, part.address, part.bytes));
  if (result <= 0) {
    queued.stops = true;
    return true;
  }
  access.moved += result;
  access.file->counts.add_moved(FileWay::queued, result, 0);
  part.data += result;
  part.address += result;
  part.bytes -= result;
  return part.bytes == 0;
}

void complete(Part& part, int result) {
  std::lock_guard guard(queue.lock);
  QueuedAccess& queued = *part.of;
  if (take(part, result)) {
    part.of = nullptr;
    --queued.under_way;
    --queue.under_way;
    begin_waiting();
    begin_parts(queued);
  } else {
    add(part);
  }
  queue.ring.submit();
  if (queued.under_way > 0) return;
  if (queued.has_more()) return wait_for_space(queued);
  queued.access->end();
  delete &queued;
}

void* take_completions(void*) {
  for (;;) {
    const platform::CompletedRead done = queue.ring.wait();
    if (!done.tag) return nullptr;
    complete(*static_cast<Part*>(done.tag), done.result);
  }
}

// Returns whether there is a queue; opens it. Under the lock.
bool has_queue() {
  if (queue.ring.is_open()) return true;
  if (queue.is_refused) return false;
  queue.is_refused = queue.ring.open(reads_max) != 0;
  if (queue.is_refused) return false;
  if (platform::start_thread(queue.taker, "baton-file", take_completions, nullptr) == 0)
    return true;
  queue.ring.close();
  return false;
}

bool is_for_queue(const BackgroundAccess& access, const Memory& memory) {
  const File& file = *access.file;
  const View& view = file.view;
  if (settings.io_uring == 0 || access.access.writes || !memory.piece(0) || !view.ascends ||
      file.atomic || view.representation->converts(false))
    return false;
  if (settings.io_uring == 2) return true;
  const std::int64_t run = view.contiguous ? access.placed.bytes : view.average_bytes;
  if (run > queued_run_bytes_max || (!view.contiguous && run < queued_run_bytes_min)) return false;
  return !platform::is_cached(file.descriptor, view.address(access.placed.position));
}

}  // namespace

bool queue_read(BackgroundAccess& access) {
  const Memory memory(access.access.buffer, *access.access.type,
                      access.file->comm->collective.is_host());
  if (!is_for_queue(access, memory)) return false;
  std::lock_guard guard(queue.lock);
  if (!has_queue()) return false;
  auto* queued = new (std::nothrow) QueuedAccess;
  if (!queued) return false;
  queued->access = &access;
  queued->data = memory.piece(0);
  begin_parts(*queued);
  if (queued->under_way == 0) wait_for_space(*queued);
  queue.ring.submit();
  return true;
}

void end_queue() {
  std::lock_guard guard(queue.lock);
  if (!queue.ring.is_open()) return;
  queue.ring.stop();
  platform::join_thread(queue.taker);
  queue.ring.close();
}

}  // namespace baton::file
