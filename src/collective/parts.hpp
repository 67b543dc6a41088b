// What the algorithms share: tags, temporary buffers, exchanges, copies within a rank.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <new>

#include "collective/collective.hpp"
#include "message/point_to_point.hpp"
#include "message/wait.hpp"
#include "platform/copy.hpp"

namespace baton::collective {

// The library's own tags on the collective plane; agreements have theirs below.
enum Tag : std::int32_t {
  barrier_tag = -4,
  broadcast_tag = -5,
  reduce_tag = -6,
  allreduce_tag = -7,
  gather_tag = -8,
  scatter_tag = -9,
  allgather_tag = -10,
  alltoall_tag = -11,
};

// Sends and receives at once. Returns the first error.
inline Error exchange(const message::Context& context, const void* out, std::int64_t out_count,
                      Datatype& out_type, int destination, void* in, std::int64_t in_count,
                      Datatype& in_type, int source, std::int32_t tag) {
  return message::exchange(context, out, out_count, out_type, destination, tag, in, in_count,
                           in_type, source, tag, nullptr);
}

// Copies typed data within this rank; the signatures match.
Error copy_local(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
                 std::int64_t to_count, Datatype& to_type);

// Room for `count` elements of a type, wherever its data lies around the address.
class Scratch {
 public:
  Scratch(std::int64_t count, const Datatype& type)
      : memory_(static_cast<char*>(std::malloc(bytes(count, type)))),
        origin_(memory_ ? memory_ - first_byte(count, type) : nullptr) {}
  ~Scratch() { std::free(memory_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  explicit operator bool() const { return memory_ != nullptr; }
  void* get() const { return origin_; }

 private:
  static std::size_t bytes(std::int64_t count, const Datatype& type) {
    std::int64_t span = count > 0 ? type.true_extent + (count - 1) * std::abs(type.extent) : 0;
    return static_cast<std::size_t>(span) + 1;
  }
  // Where the first byte of data lies from the buffer's address: with a negative extent it is the
  // last element's.
  static std::int64_t first_byte(std::int64_t count, const Datatype& type) {
    bool backwards = type.extent < 0 && count > 1;
    return type.true_lower_bound + (backwards ? (count - 1) * type.extent : 0);
  }
  char* memory_;
  char* origin_;
};

Error no_scratch();

// Requests to many ranks at once, kept by the caller until they are complete.
class Requests {
 public:
  explicit Requests(int count)
      : all_(
            static_cast<Request*>(std::malloc(static_cast<std::size_t>(count) * sizeof(Request)))) {
  }
  ~Requests() { std::free(all_); }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  explicit operator bool() const { return all_ != nullptr; }
  Request& next() { return *new (&all_[used_++]) Request; }
  Error wait() {
    Error first = MPI_SUCCESS;
    for (int i = 0; i < used_; ++i) {
      message::wait_for(all_[i]);
      if (!first) first = all_[i].error;
    }
    return first;
  }

 private:
  Request* all_;
  int used_ = 0;
};

// Among the ranks of a context of one group: what the collectives of one group are, and those
// between groups use on either side.
Error broadcast_within(const message::Context& context, void* buffer, std::int64_t count,
                       Datatype& type, int root);
Error reduce_within(const message::Context& context, const void* send, void* receive,
                    std::int64_t count, Datatype& type, Operation& operation, int root);

}  // namespace baton::collective
