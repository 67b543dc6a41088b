#include "window/stream_side.hpp"

#include <cstdlib>
#include <cstring>
#include <new>

#include "transport/move/copy.hpp"
#include "transport/node.hpp"
#include "window/change.hpp"

namespace baton::window {

namespace {

void copy_by_kernel(StreamSide& side, const Work& work, LocalRank asker, char* memory) {
  char* there;
  std::memcpy(&there, work.data, sizeof there);
  side.copy_by_kernel([&](std::int64_t position, std::int64_t bytes) {
    return work.kind == WorkKind::put_stream
               ? transport::copy_from({asker, there + position}, memory + position, bytes)
               : transport::copy_to({asker, there + position}, memory + position, bytes);
  });
}

// Gives memory to the chunks of this rank's own staging.
bool reserve(lockfree::StagingBuffer buffer) {
  for (int i = 0; i < buffer.count(); ++i)
    if (transport::reserve_chunk(transport::own_rank(), buffer.chunk(i)) != MPI_SUCCESS)
      return false;
  return true;
}

}  // namespace

bool StreamSide::wait(int* looks) const {
  constexpr int pauses_max = 1000;  // guess
  const bool is_origin = number_of(other_) != staging_.owner.index;
  if (is_origin && lockfree::is_done(work_.state)) return false;
  if (++*looks < pauses_max) {
    platform::pause_cpu();
    return true;
  }
  platform::yield_cpu();
  return !transport::has_died(other_);
}

void StreamSide::fill(const char* from) {
  // Guess: the next one is fetched while this one is written.
  constexpr std::int64_t segment_bytes = 2048;
  int looks = 0;
  for (std::int64_t position = 0; position < bytes();) {
    const std::int64_t end = std::min(staging_.emptied() + staging_.buffer.bytes(), bytes());
    if (position == end) {
      if (!wait(&looks)) return;
      continue;
    }
    looks = 0;
    if (work_.stream.way == StreamWay::around_cache)
      transport::fill_around_cache(staging_, position, end, from);
    else
      transport::fill_through_cache(staging_, position, end, segment_bytes, segment_bytes,
                                    [=](std::int64_t at, char* to, std::int64_t part) {
                                      platform::copy_run(to, from + at,
                                                         static_cast<std::size_t>(part));
                                    });
    position = end;
  }
}

lockfree::StagingBuffer Streams::own_buffer() {
  // They stay in the second cache on both sides. With half of them accumulates of 512 KiB took 1.5
  // times as long, with twice as many no less.
  constexpr int chunks = 4;
  if (!buffer_.empty()) return buffer_;
  auto& free = transport::doorbell(transport::own_rank()).chunks.free;
  const lockfree::StagingBuffer taken = lockfree::take_chunks(free, chunks);
  if (reserve(taken))
    buffer_ = taken;
  else
    lockfree::give_back_chunks(free, taken);
  return buffer_;
}

StreamChoices* Streams::choices_of(LocalRank rank) {
  if (!choices_)
    choices_ =
        static_cast<StreamChoices**>(std::calloc(transport::rank_count(), sizeof(StreamChoices*)));
  if (!choices_) return nullptr;
  StreamChoices*& its = choices_[number_of(rank)];
  if (!its) its = new (std::nothrow) StreamChoices;
  return its;
}

void stream_for(Work& work, LocalRank asker, Window& window) {
  StreamSide side(work, asker, asker);
  char* memory = reinterpret_cast<char*>(work.first.address);
  if (work.stream.way == StreamWay::both_by_kernel)
    return copy_by_kernel(side, work, asker, memory);
  if (work.kind == WorkKind::get_stream) return side.fill(memory);
  side.empty([&](const char* there, std::int64_t position, std::int64_t here) {
    if (work.kind == WorkKind::put_stream)
      platform::copy_run(memory + position, there, static_cast<std::size_t>(here));
    else
      work.error =
          change_own(window, memory + position, work.type, here, work.operation, there, nullptr);
    return work.error == MPI_SUCCESS;
  });
}

void Streams::free() {
  if (!buffer_.empty())
    lockfree::give_back_chunks(transport::doorbell(transport::own_rank()).chunks.free, buffer_);
  buffer_ = {};
  for (std::uint32_t rank = 0; choices_ && rank < transport::rank_count(); ++rank)
    delete choices_[rank];
  std::free(choices_);
  choices_ = nullptr;
}

}  // namespace baton::window
