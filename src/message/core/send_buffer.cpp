#include "message/core/send_buffer.hpp"
#include "datatype/pack.hpp"
#include "message/core/lead.hpp"
#include "message/core/progress.hpp"
#include "message/core/requests.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/wait.hpp"
#include "platform/clock.hpp"

namespace baton::message {

SendBuffer process_buffer;

namespace {

char* align(char* address) {
  constexpr std::uintptr_t unit = 16;
  return reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(address) + unit - 1) &
                                 ~(unit - 1));
}

Error nothing_attached() {
  return fail(MPI_ERR_BUFFER, "no buffer is attached here; attach one first");
}

// A flush under way. What is buffered after it began does not hold it up.
struct Flush {
  SendBuffer* buffer;
  std::uint64_t last;
  Request* visible;
  Flush* next;

  bool advance() const { return buffer->has_left(last); }
  void finish() {
    Request& whole = *visible;
    delete this;
    complete(whole, MPI_SUCCESS);
  }
};
constinit ListSource<Flush> flushes;

}  // namespace

SendBuffer& buffer_for(const Context& context) {
  if (context.buffer && context.buffer->attached()) return *context.buffer;
  if (context.session_buffer && context.session_buffer->attached()) return *context.session_buffer;
  return process_buffer;
}

Error SendBuffer::attach(void* memory, std::int64_t bytes) {
  if (attached()) return fail(MPI_ERR_BUFFER, "a buffer is attached already; detach it first");
  automatic_ = memory == MPI_BUFFER_AUTOMATIC;
  if (!automatic_ && bytes > 0 && (memory == nullptr || memory == MPI_IN_PLACE))
    return fail(MPI_ERR_BUFFER, "the buffer of %lld bytes has no address",
                static_cast<long long>(bytes));
  attached_ = true;
  memory_ = tail_ = automatic_ ? nullptr : static_cast<char*>(memory);
  bytes_ = automatic_ ? 0 : bytes;
  return MPI_SUCCESS;
}

Error SendBuffer::detach(void** memory, std::int64_t* bytes) {
  if (Error error = flush()) return error;
  *memory = automatic_ ? MPI_BUFFER_AUTOMATIC : memory_;
  *bytes = bytes_;
  memory_ = tail_ = nullptr;
  bytes_ = 0;
  attached_ = automatic_ = false;
  return MPI_SUCCESS;
}

Error SendBuffer::flush() {
  if (!attached()) return nothing_attached();
  wait_until([this] { return is_idle(); });
  return MPI_SUCCESS;
}

Error SendBuffer::start_flush(const Context* context, MPI_Request* handle) {
  if (!attached()) return nothing_attached();
  if (is_idle()) {
    *handle = completed_handle();
    return MPI_SUCCESS;
  }
  auto* flush = new (std::nothrow) Flush;
  Request* visible = flush ? new_request() : nullptr;
  if (!visible) {
    delete flush;
    return fail(MPI_ERR_NO_MEM, "no memory for a request");
  }
  visible->kind = RequestKind::schedule;
  visible->stage = Stage::queued;
  if (context) {
    visible->owner = context->owner;
    hold(*visible, *context);
  }
  *handle = visible->handle;
  *flush = {this, last_message(), visible, nullptr};
  flushes.add(*flush);
  return MPI_SUCCESS;
}

std::uint64_t SendBuffer::last_message() {
  platform::Guard guard(lock_);
  return messages_;
}

bool SendBuffer::has_left(std::uint64_t number) {
  platform::Guard guard(lock_);
  drop_complete();
  for (Segment* segment = segments_; segment; segment = segment->next)
    if (segment->number <= number) return false;
  return true;
}

void SendBuffer::forget() {
  drop_complete();
  segments_ = nullptr;
  memory_ = tail_ = nullptr;
  bytes_ = 0;
  attached_ = automatic_ = false;
}

bool SendBuffer::is_idle() {
  platform::Guard guard(lock_);
  return drop_complete();
}

bool SendBuffer::drop_complete() {
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

// At an address or behind it; the segments there are not in the way of what is before it.
SendBuffer::Gap SendBuffer::find_gap(const char* from, std::int64_t bytes) {
  Segment** link = &segments_;
  char* gap = memory_;
  for (; *link && (*link)->begin < from; link = &(*link)->next) gap = (*link)->end;
  gap += std::max<std::ptrdiff_t>(0, from - gap);
  for (; *link; link = &(*link)->next) {
    if ((*link)->begin - gap >= bytes) return {gap, link};
    gap = (*link)->end;
  }
  return memory_ + bytes_ - gap >= bytes ? Gap{gap, link} : Gap{};
}

SendBuffer::Gap SendBuffer::find_gap(std::int64_t bytes) {
  if (!memory_) return {};
  const Gap behind = find_gap(tail_, bytes);
  return behind.begin ? behind : find_gap(memory_, bytes);
}

SendBuffer::Segment* SendBuffer::allocate(std::int64_t bytes) {
  drop_complete();
  if (automatic_) {
    void* memory = std::malloc(sizeof(Segment) + static_cast<std::size_t>(bytes));
    if (!memory) return nullptr;
    segments_ = new (memory) Segment{segments_, nullptr, nullptr, ++messages_, {}};
    return segments_;
  }
  const Gap gap = find_gap(bytes + MPI_BSEND_OVERHEAD);
  if (!gap.begin) return nullptr;
  tail_ = gap.begin + bytes + MPI_BSEND_OVERHEAD;
  *gap.link = new (align(gap.begin)) Segment{*gap.link, gap.begin, tail_, ++messages_, {}};
  return *gap.link;
}

bool SendBuffer::is_settled(std::int64_t bytes) {
  platform::Guard guard(lock_);
  return drop_complete() || find_gap(bytes + MPI_BSEND_OVERHEAD).begin;
}

bool SendBuffer::make_space(std::int64_t bytes, std::int64_t end) {
  if (automatic_ || bytes + MPI_BSEND_OVERHEAD > bytes_) return false;
  wait_until([&] { return is_settled(bytes) || platform::now_ns() >= end; });
  return platform::now_ns() < end;
}

Error SendBuffer::send(const Context& context, const void* buffer, std::int64_t count,
                       Datatype& type, std::int32_t destination, std::int32_t tag) {
  if (destination == MPI_PROC_NULL) return MPI_SUCCESS;
  const std::int64_t bytes = count * type.size;
  const auto try_to_send = [&](Error* error) {
    platform::Guard guard(lock_);
    Segment* segment = allocate(bytes);
    if (!segment) return false;
    datatype::pack(type, buffer, 0, segment->data(), bytes, context.is_host());
    begin_send(context, segment->data(), bytes, *datatype::datatypes.find(MPI_PACKED), destination,
               tag, false, segment->request);
    rouse_progress_thread();
    // Another thread may complete it just now.
    *error = is_complete(segment->request) ? segment->request.error : MPI_SUCCESS;
    return true;
  };
  Error error = MPI_SUCCESS;
  if (BATON_LIKELY(try_to_send(&error))) return error;
  // A round of progress tells here which messages have been received; but whoever makes it may have
  // lost its CPU, and what becomes free may go to another thread. Guess: far longer than that.
  constexpr std::int64_t patience_ns = 1000000000;
  const std::int64_t end = platform::now_ns() + patience_ns;
  while (make_space(bytes, end))
    if (try_to_send(&error)) return error;
  return fail(MPI_ERR_BUFFER,
              attached_ ? "a message of %lld bytes does not fit into the attached buffer of %lld "
                          "bytes (each needs MPI_BSEND_OVERHEAD more); attach a larger one, or "
                          "MPI_BUFFER_AUTOMATIC"
                        : "no buffer is attached for a message of %lld bytes (%lld are); attach "
                          "one, or MPI_BUFFER_AUTOMATIC",
              static_cast<long long>(bytes), static_cast<long long>(bytes_));
}

}  // namespace baton::message
