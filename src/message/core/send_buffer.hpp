// Buffered sends (MPI 5.0, "Buffer Allocation and Usage"): messages are copied into memory that the
// program attached, and travel from there. One object for the process, one a communicator.
// Invariant: segments lie in the attached memory in rising order and never overlap; each is a
// message under way. Memory is taken as in the standard's model of the buffer, a ring: behind the
// last message, or at the start. So whatever fits there fits here.
#pragma once

#include <cstdint>

#include "message/core/point_to_point.hpp"

namespace baton::message {

class SendBuffer {
 public:
  // Takes memory into use; MPI_BUFFER_AUTOMATIC lets Baton allocate as it goes. MPI_ERR_BUFFER when
  // something is attached already, or `memory` is null and bytes are expected there.
  Error attach(void* memory, std::int64_t bytes);
  // Waits until every message has left, and gives the memory back. MPI_ERR_BUFFER when nothing is
  // attached; so do the flushes.
  Error detach(void** memory, std::int64_t* bytes);
  // Waits until every message has left.
  Error flush();
  // Starts a flush as a request, which completes when all that is buffered now has left. A
  // communicator's buffer names its context, which the request keeps alive (null: the buffer
  // outlives it).
  Error start_flush(const Context* context, MPI_Request* handle);
  // Returns whether every message has left; frees what has.
  bool is_idle();
  // Returns whether every message up to this number has left (the first was 1).
  bool has_left(std::uint64_t number);
  // The end of MPI: detaches without waiting, all messages have left.
  void forget();
  bool attached() const { return attached_; }

  // Copies the message and starts it. A full buffer first makes progress, for a while, and collects
  // what has left; MPI_ERR_BUFFER when there is no space then.
  Error send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
             std::int32_t destination, std::int32_t tag);

 private:
  std::uint64_t last_message();
  bool drop_complete();
  struct Segment {
    Segment* next;
    char* begin;  // of the whole segment, which includes what aligns it
    char* end;
    std::uint64_t number;  // the how-manyeth message it is
    Request request;
    char* data() { return reinterpret_cast<char*>(this + 1); }
  };
  static_assert(sizeof(Segment) + 16 <= MPI_BSEND_OVERHEAD);

  // A gap between segments that is wide enough.
  struct Gap {
    char* begin = nullptr;     // null: there is none
    Segment** link = nullptr;  // where its segment goes
  };
  Gap find_gap(const char* from, std::int64_t bytes);
  Gap find_gap(std::int64_t bytes);
  Segment* allocate(std::int64_t bytes);
  // Returns whether there is space for a message of so many bytes, or all is free.
  bool is_settled(std::int64_t bytes);
  // Makes progress until there may be space; false: there is none, and it is that late.
  bool make_space(std::int64_t bytes, std::int64_t end);

  platform::Lock lock_;  // of the segments
  char* memory_ = nullptr;
  std::int64_t bytes_ = 0;
  std::uint64_t messages_ = 0;  // ever buffered
  bool attached_ = false;
  bool automatic_ = false;
  Segment* segments_ = nullptr;
  char* tail_ = nullptr;  // behind the message that was buffered last
};

// The process's own.
extern SendBuffer process_buffer;

// The one that a buffered send on this communicator uses now: its own, else its session's, else the
// process's (MPI 5.0, "Buffer Allocation and Usage").
SendBuffer& buffer_for(const Context& context);

}  // namespace baton::message
