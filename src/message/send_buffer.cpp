#include "message/send_buffer.hpp"
#include "datatype/pack.hpp"

#include <cstdlib>
#include <new>

#include "message/wait.hpp"

namespace baton::message {

SendBuffer process_buffer;

namespace {

char* align(char* address) {
  constexpr std::uintptr_t unit = 16;
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(address) + unit - 1) &
                                 ~(unit - 1));
}

}  // namespace

Error SendBuffer::attach(void* memory, std::int64_t bytes) {
  if (attached()) return fail(MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
  automatic_ = memory == MPI_BUFFER_AUTOMATIC;
  memory_ = automatic_ ? nullptr : static_cast<char*>(memory);
  bytes_ = automatic_ ? 0 : bytes;
  return MPI_SUCCESS;
}

Error SendBuffer::detach(void** memory, std::int64_t* bytes) {
  flush();
  *memory = automatic_ ? MPI_BUFFER_AUTOMATIC : memory_;
  *bytes = bytes_;
  memory_ = nullptr;
  bytes_ = 0;
  automatic_ = false;
  return MPI_SUCCESS;
}

void SendBuffer::flush() {
  wait_until([this] { return is_idle(); });
}

bool SendBuffer::is_idle() {
  for (Segment** link = &segments_; *link;) {
    Segment* segment = *link;
    if (!is_complete(segment->request)) {
      link = &segment->next;
      continue;
    }
    *link = segment->next;
    if (automatic_) std::free(segment);
  }
  return segments_ == nullptr;
}

// The first gap between segments that is wide enough, with the segment linked in.
SendBuffer::Segment* SendBuffer::find_gap(std::int64_t bytes) {
  char* gap = align(memory_);
  Segment** link = &segments_;
  for (; *link; link = &(*link)->next) {
    if (reinterpret_cast<char*>(*link) - gap >= bytes) break;
    gap = align(reinterpret_cast<char*>(*link) + (*link)->bytes);
  }
  char* end = *link ? reinterpret_cast<char*>(*link) : memory_ + bytes_;
  if (end - gap < bytes) return nullptr;
  auto* segment = new (gap) Segment{*link, bytes, {}};
  *link = segment;
  return segment;
}

SendBuffer::Segment* SendBuffer::allocate(std::int64_t bytes) {
  is_idle();
  std::int64_t whole = bytes + static_cast<std::int64_t>(sizeof(Segment));
  if (!automatic_) return memory_ ? find_gap(whole) : nullptr;
  void* memory = std::malloc(static_cast<std::size_t>(whole));
  if (!memory) return nullptr;
  segments_ = new (memory) Segment{segments_, whole, {}};
  return segments_;
}

Error SendBuffer::send(const Context& context, const void* buffer, std::int64_t count,
                       Datatype& type, std::int32_t destination, std::int32_t tag) {
  if (destination == MPI_PROC_NULL) return MPI_SUCCESS;
  std::int64_t bytes = count * type.size;
  Segment* segment = allocate(bytes);
  if (!segment)
    return fail(MPI_ERR_BUFFER,
                "a message of %lld bytes does not fit into the attached buffer of %lld bytes (each "
                "needs MPI_BSEND_OVERHEAD more); attach a larger one, or MPI_BUFFER_AUTOMATIC",
                static_cast<long long>(bytes), static_cast<long long>(bytes_));
  datatype::pack(type, buffer, 0, segment->data(), bytes);
  begin_send(context, segment->data(), bytes, *datatype::datatypes.find(MPI_PACKED), destination,
             tag, false, segment->request);
  return segment->request.error;
}

}  // namespace baton::message
