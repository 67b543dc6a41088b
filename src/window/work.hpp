// Work on a window's memory that its owner does for another rank of the node, as it stands in the
// slot of the rank that asks (window/delegate.hpp). Invariant: plain data, the same for both.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/cache_line.hpp"
#include "lockfree/delegation.hpp"
#include "lockfree/staging.hpp"
#include "window/change.hpp"
#include "window/stream_choice.hpp"

namespace baton::window {

enum class WorkKind : std::uint32_t {
  put,
  get,
  accumulate,
  get_accumulate,
  compare_and_swap,  // two operands: the new value and the expected one
  // These have one long range, whose data goes through a stream (stream.hpp).
  put_stream,
  get_stream,
  accumulate_stream,
};

struct WorkRange {
  std::uint64_t address;  // at the target
  std::uint64_t bytes;
};

// This is what the slot holds. Its first line has all that a short operation needs. The data of the
// ranges is stored one after another; results replace it.
struct alignas(cache_line_bytes) Work {
  static constexpr std::uint32_t ranges_max = 64;
  static constexpr std::uint32_t data_bytes_max = 7072;
  static constexpr std::int32_t not_done = -1;  // in `error`: the origin is to do it

  lockfree::DelegationState<lockfree::Hardware> state;
  std::uint32_t window;  // context id of the window's communicator
  WorkKind kind;
  std::int32_t type;  // handles, as integers
  std::int32_t operation;
  std::int32_t error;  // of the result
  std::uint32_t ranges;
  std::uint32_t data_bytes;
  WorkRange first;
  struct {
    lockfree::StagingBuffer buffer;  // in the staging of the rank that asks
    std::int32_t copied_bytes;       // at a time, where both ranks copy by the kernel
    StreamWay way;
  } stream;
  alignas(16) char data[data_bytes_max];
  WorkRange others[ranges_max - 1];
  // These are used where both ranks copy by the kernel: the number of bytes that a rank has claimed
  // to copy, and the part that the target could not copy.
  alignas(cache_line_bytes) std::atomic<std::uint64_t> claimed;
  WorkRange left;

  WorkRange& range(std::uint32_t i) { return i == 0 ? first : others[i - 1]; }
  bool has_space(std::uint64_t bytes) const {
    return ranges < ranges_max && bytes <= data_bytes_max - data_bytes;
  }
  // Adds a range, and returns where its data goes.
  char* add(std::uint64_t address, std::uint64_t bytes) {
    char* place = data + data_bytes;
    range(ranges++) = {address, bytes};
    data_bytes += static_cast<std::uint32_t>(bytes);
    return place;
  }
};

// This is the batch of operations that this rank's slot holds now (batch.hpp).
struct Batch {
  Window* window = nullptr;  // null: the batch is empty
  Target* target = nullptr;
  WorkKind kind = WorkKind::put;
  const Operation* operation = nullptr;
  Elements elements;                  // for accumulates
  char* into[Work::ranges_max] = {};  // for gets: where the data goes

  // Returns the spot of the batch's first range.
  Spot spot(const Work& work) const { return {target, nullptr, work.first.address}; }
};

}  // namespace baton::window
