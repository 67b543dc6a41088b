// Buffered sends (MPI 5.0, "Buffer Allocation and Usage"): messages are copied into memory that the
// program attached, and travel from there. One object for the process, one a communicator.
// Invariant: segments lie in the attached memory in rising order and never overlap; each is a
// message under way.
#pragma once

#include <cstdint>

#include "message/point_to_point.hpp"

namespace baton::message {

class SendBuffer {
 public:
  // Takes memory into use; MPI_BUFFER_AUTOMATIC lets Baton allocate as it goes. MPI_ERR_BUFFER when
  // something is attached already.
  Error attach(void* memory, std::int64_t bytes);
  // Waits until every message has left, and gives the memory back.
  Error detach(void** memory, std::int64_t* bytes);
  void flush();
  // Whether every message has left; frees what has.
  bool is_idle();
  bool attached() const { return automatic_ || memory_ != nullptr; }

  // Copies the message and starts it. MPI_ERR_BUFFER when there is no room.
  Error send(const Context& context, const void* buffer, std::int64_t count, Datatype& type,
             std::int32_t destination, std::int32_t tag);

 private:
  struct Segment {
    Segment* next;
    std::int64_t bytes;  // of the whole segment
    Request request;
    char* data() { return reinterpret_cast<char*>(this + 1); }
  };
  static_assert(sizeof(Segment) + 16 <= MPI_BSEND_OVERHEAD);

  Segment* allocate(std::int64_t bytes);
  Segment* find_gap(std::int64_t bytes);

  char* memory_ = nullptr;
  std::int64_t bytes_ = 0;
  bool automatic_ = false;
  Segment* segments_ = nullptr;
};

// The process's own.
extern SendBuffer process_buffer;

}  // namespace baton::message
