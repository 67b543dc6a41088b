// Streams, which are threads, and events. Nothing is ever done by the call itself.
#include <unistd.h>

#include <cstring>

#include "driver.hpp"

namespace standin {

Stream::~Stream() {
  {
    const std::lock_guard guard(lock_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Stream::add(std::function<void()> job) {
  bool sleeps;
  {
    const std::lock_guard guard(lock_);
    sleeps = jobs_.empty() && !busy_;
    jobs_.push_back(std::move(job));
  }
  if (sleeps) changed_.notify_all();
}

void Stream::drain() {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this] { return jobs_.empty() && !busy_; });
}

void Stream::work() {
  const long delay_us = fault("STANDIN_DELAY_US");
  std::deque<std::function<void()>> taken;
  std::unique_lock guard(lock_);
  for (;;) {
    changed_.wait(guard, [this] { return ends_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    taken.swap(jobs_);
    busy_ = true;
    guard.unlock();
    for (auto& job : taken) {
      if (delay_us) ::usleep(static_cast<useconds_t>(delay_us));
      job();
    }
    taken.clear();
    guard.lock();
    busy_ = false;
    changed_.notify_all();
  }
}

namespace {

Stream* find(void* handle) {
  auto* stream = static_cast<Stream*>(handle);
  return state.streams.count(stream) ? stream : nullptr;
}

}  // namespace

Result stream_of_current(void* handle, Stream** stream) {
  *stream = find(handle);
  if (!*stream) return invalid_handle;
  return (*stream)->context == current_context() ? success : invalid_context;
}

namespace {

struct Plane {  // CUDA_MEMCPY2D
  std::size_t from_x, from_y;
  unsigned from_type;
  const void* from_host;
  std::uint64_t from;
  void* from_array;
  std::size_t from_pitch;
  std::size_t to_x, to_y;
  unsigned to_type;
  void* to_host;
  std::uint64_t to;
  void* to_array;
  std::size_t to_pitch;
  std::size_t width, height;
};

// Where a side of a plane lies; 0: it is not what its type says.
std::uint64_t place_of(unsigned type, const void* host, std::uint64_t device) {
  const auto place = type == 1 ? reinterpret_cast<std::uintptr_t>(host) : device;
  const Block* block = find_block(place);
  const bool on_host = !block || is_host(*block);
  const bool fits = type == 1 ? on_host || block->kind == standin_managed : type == 2 && !on_host;
  return fits ? place : 0;
}

// A plane must not reach from one allocation into another.
bool lies_in_one(std::uint64_t address, const Plane& plane, std::size_t pitch) {
  const std::uint64_t last = address + (plane.height - 1) * pitch + plane.width - 1;
  return find_block(address) == find_block(last);
}

// The copy that is told to fail takes the context with it.
void count_copy() {
  const long fails_at = fault("STANDIN_FAIL_COPY");
  if (++state.copies == fails_at) state.is_lost = true;
}

}  // namespace

}  // namespace standin

using namespace standin;

STANDIN_CALL cuStreamCreate(void** stream, unsigned) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  if (fault("STANDIN_NO_STREAMS")) return out_of_memory;
  auto* made = new Stream(current_context());
  state.streams.insert(made);
  *stream = made;
  return success;
}

STANDIN_CALL cuStreamDestroy_v2(void* handle) {
  Stream* stream;
  {
    STANDIN_READY;
    stream = find(handle);
    if (!stream) return invalid_handle;
    state.streams.erase(stream);
  }
  delete stream;
  return success;
}

// Work of the default stream, which is no handle, is over when its call returns.
STANDIN_CALL cuStreamSynchronize(void* handle) {
  Stream* stream;
  if (!handle) return state.is_lost ? launch_failed : success;
  {
    STANDIN_READY;
    if (const Result bad = stream_of_current(handle, &stream)) return bad;
  }
  stream->drain();
  return state.is_lost ? launch_failed : success;
}

STANDIN_CALL cuMemcpyAsync(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* handle) {
  STANDIN_READY;
  Stream* stream;
  if (const Result bad = stream_of_current(handle, &stream)) return bad;
  char* target = touchable(to);
  const char* source = touchable(from);
  stream->add([=] {
    count_copy();
    if (!state.is_lost) std::memmove(target, source, bytes);
  });
  return success;
}

STANDIN_CALL cuMemcpy2DAsync_v2(const Plane* plane, void* handle) {
  STANDIN_READY;
  Stream* stream;
  if (const Result bad = stream_of_current(handle, &stream)) return bad;
  const bool is_plain =
      plane->from_x == 0 && plane->from_y == 0 && plane->to_x == 0 && plane->to_y == 0;
  const std::uint64_t to = place_of(plane->to_type, plane->to_host, plane->to);
  const std::uint64_t from = place_of(plane->from_type, plane->from_host, plane->from);
  if (!is_plain || !to || !from || plane->width > plane->from_pitch ||
      plane->width > plane->to_pitch || plane->height == 0 ||
      !lies_in_one(from, *plane, plane->from_pitch) || !lies_in_one(to, *plane, plane->to_pitch))
    return invalid_value;
  char* target = touchable(to);
  const char* source = touchable(from);
  stream->add([target, source, copy = *plane] {
    count_copy();
    for (std::size_t i = 0; i < copy.height && !state.is_lost; ++i)
      std::memcpy(target + i * copy.to_pitch, source + i * copy.from_pitch, copy.width);
  });
  return success;
}

STANDIN_CALL cuEventCreate(void** event, unsigned) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  auto* made = new Event{current_context()};
  state.events.insert(made);
  *event = made;
  return success;
}

STANDIN_CALL cuEventDestroy_v2(void* handle) {
  STANDIN_READY;
  auto* event = static_cast<Event*>(handle);
  if (!state.events.count(event) || event->recorded != event->reached) return invalid_handle;
  state.events.erase(event);
  delete event;
  return success;
}

STANDIN_CALL cuEventRecord(void* handle, void* on) {
  STANDIN_READY;
  auto* event = static_cast<Event*>(handle);
  Stream* stream;
  if (!state.events.count(event)) return invalid_handle;
  if (const Result bad = stream_of_current(on, &stream)) return bad;
  const int number = ++event->recorded;
  stream->add([=] { event->reached = number; });
  return success;
}

STANDIN_CALL cuEventQuery(void* handle) {
  STANDIN_READY;
  auto* event = static_cast<Event*>(handle);
  if (!state.events.count(event)) return invalid_handle;
  return event->recorded == event->reached ? success : not_ready;
}
