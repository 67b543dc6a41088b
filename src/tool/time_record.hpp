// This opens, grows and writes this rank's part of the job's record of time, as memory. Only
// timing.cpp uses it. Invariant: memory is reserved before it is touched. Where there is none the
// record stops growing, and says so in its head.
#pragma once

#include "lockfree/timing.hpp"
#include "platform/lock.hpp"
#include "tool/known_communicators.hpp"

namespace baton::tool {

// MPI has fewer procedures than this; api/timed.hpp checks that.
inline constexpr unsigned procedures_max = 2048;

class TimeRecord {
 public:
  // Opens the record. False in a job that is not timed, or when the part cannot be mapped; a
  // warning says so once.
  bool open();
  bool is_open() const { return base_ != nullptr; }

  void begin(std::int64_t began);
  void serve(int thread_level);
  void end(std::int64_t asked);
  void pause();
  void resume();

  // Returns the row of a procedure, which its first call takes.
  std::uint16_t row_of(unsigned procedure, const char* name);
  void add_call(std::uint16_t row, std::uint64_t bytes, std::uint64_t ticks,
                std::uint64_t waiting_ticks);
  void add_waiting(std::int32_t peer, std::uint64_t ticks);
  void add_sent(std::int32_t peer, std::uint64_t bytes);
  void add_received(std::int32_t peer, std::uint64_t bytes);
  // Adds a collective call. It fills in `call.communicator`.
  void add_collective(KnownCommunicator& communicator, lockfree::CollectiveTime call);
  void add_event(const lockfree::Event& event);

 private:
  lockfree::TimingHead& head() const { return *reinterpret_cast<lockfree::TimingHead*>(base_); }
  template <class Row>
  Row* rows(std::uint64_t offset) const {
    return reinterpret_cast<Row*>(base_ + offset);
  }
  // Makes sure of memory for the first `bytes` of a part of the record that grows, from `offset` to
  // `end`.
  bool has_memory(std::uint64_t offset, std::uint64_t end, std::uint64_t& reserved,
                  std::uint64_t bytes);
  std::uint16_t new_row(unsigned procedure, const char* name);
  bool has_row(KnownCommunicator& communicator);
  bool is_full();
  void thin_out();

  char* base_ = nullptr;
  std::uint64_t start_ = 0;  // in the job's file
  lockfree::TimingLayout layout_{};
  std::uint64_t event_count_max_ = 0;
  std::uint64_t collectives_reserved_ = 0;
  std::uint64_t events_reserved_ = 0;
  std::uint8_t row_numbers_[procedures_max] = {};  // plus 1, by procedure
  platform::Lock lock_;
};

extern constinit TimeRecord record;

}  // namespace baton::tool
