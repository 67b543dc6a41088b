#include "message/node/process_ends.hpp"

#include <unistd.h>

#include <cstdlib>

#include "platform/process_life.hpp"
#include "platform/stream.hpp"

namespace baton::message {

namespace {

constexpr std::int64_t pause_ms = 250;     // guess: how late a death may be found
constexpr std::uint32_t close_looks = 16;  // guess: files of /proc that one look reads

}  // namespace

bool ProcessEnds::begin_look(std::uint32_t count) {
  const std::int64_t now_ms = platform::now_ms();
  if (now_ms < next_ms_) return false;
  next_ms_ = now_ms + pause_ms;
  if (!seen_) seen_ = static_cast<Seen*>(std::calloc(count, sizeof(Seen)));
  if (!seen_) return false;
  count_ = count;
  closely_from_ = (closely_from_ + close_looks) % count;
  return true;
}

// One that has ended, but whose parent has not looked, and one whose number another process has
// got, are found by a close look alone.
bool ProcessEnds::looks_closely_at(std::uint32_t index) const {
  return (index + count_ - closely_from_) % count_ < close_looks;
}

bool ProcessEnds::look_at(std::uint32_t index, int process) {
  Seen& seen = seen_[index];
  if (seen.has_ended) return true;
  if (!platform::may_run(process)) {
    seen.has_ended = true;
  } else if (looks_closely_at(index) || seen.began == 0) {
    const unsigned long long began = platform::began_at(process);
    if (seen.began == 0) seen.began = began;
    // Where there is no /proc it shows nobody, this process neither.
    seen.has_ended = began != seen.began || (began == 0 && platform::began_at(::getpid()) != 0);
  }
  return seen.has_ended;
}

void ProcessEnds::forget() {
  std::free(seen_);
  seen_ = nullptr;
}

}  // namespace baton::message
