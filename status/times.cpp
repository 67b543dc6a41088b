#include "status/times.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>

#include "platform/clock.hpp"
#include "status/printable.hpp"

namespace baton::status {

namespace {

using lockfree::Amount;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds(1);
}

// relaxed: this is a copy that nobody writes.
std::uint64_t value(const Amount& amount) {
  return amount.load(std::memory_order_relaxed);
}
template <class T>
T value(const std::atomic<T>& amount) {
  return amount.load(std::memory_order_relaxed);
}

// Returns how many rows are complete.
template <class T>
T count_of(const std::atomic<T>& rows) {
  // ORDER timing.rows: acquire here, release in TimeRecord.
  return rows.load(std::memory_order_acquire);
}

// This is a copy of a part of the job's file; it has zeros where the file has no memory. The kernel
// copies upward, and rows lie behind the head that counts them, so all rows are there that were
// counted when the head was read.
class Copy {
 public:
  Copy(const TimingPlace& place, std::uint64_t offset, std::uint64_t bytes)
      : bytes_(new (std::align_val_t{page_bytes}) char[bytes]()) {
    std::uint64_t got = 0;
    while (got < bytes) {
      const ssize_t read =
          ::pread(place.descriptor, bytes_ + got, bytes - got, static_cast<off_t>(offset + got));
      if (read <= 0) break;
      got += static_cast<std::uint64_t>(read);
    }
  }
  ~Copy() { ::operator delete[](bytes_, std::align_val_t{page_bytes}); }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  template <class T>
  const T* at(std::uint64_t offset = 0) const {
    return reinterpret_cast<const T*>(bytes_ + offset);
  }

 private:
  char* bytes_;
};

std::uint64_t record_offset(const TimingPlace& place, int rank) {
  const std::uint64_t local = static_cast<std::uint32_t>(rank) - place.first_rank;
  return place.plan.offset + local * place.plan.bytes;
}

CallTotals totals_of(const lockfree::CallTime& time, double tick) {
  return {value(time.calls), tick * static_cast<double>(value(time.ticks)),
          tick * static_cast<double>(value(time.waiting_ticks)),
          tick * static_cast<double>(value(time.longest_ticks)), value(time.bytes)};
}

// The int and the MPI_Count form of a procedure have rows of their own, and one name.
void add_row(std::vector<TimedCallRow>& calls, TimedCallRow row) {
  auto found = std::ranges::find(calls, row.name, &TimedCallRow::name);
  if (found == calls.end()) return calls.push_back(std::move(row));
  for (std::size_t size = 0; size < row.sizes.size(); ++size)
    found->sizes[size].add(row.sizes[size]);
}

void read_calls(const Copy& copy, const lockfree::TimingLayout& layout, double tick,
                std::uint32_t count, RankTimes& rank, std::vector<std::uint16_t>& places) {
  const auto* rows = copy.at<lockfree::TimedCall>(layout.calls);
  for (std::uint32_t i = 0; i < std::min(count, lockfree::timed_calls_max); ++i) {
    TimedCallRow row{printable(rows[i].name), {}};
    for (std::size_t size = 0; size < row.sizes.size(); ++size)
      row.sizes[size] = totals_of(rows[i].sizes[size], tick);
    const std::string name = row.name;
    rank.names.push_back(name);
    add_row(rank.calls, std::move(row));
    const auto found = std::ranges::find(rank.calls, name, &TimedCallRow::name);
    places.push_back(static_cast<std::uint16_t>(found - rank.calls.begin()));
  }
}

void read_peers(const Copy& copy, const lockfree::TimingLayout& layout, double tick, int ranks,
                RankTimes& rank) {
  const auto* peers = copy.at<lockfree::PeerTime>(layout.peers);
  for (int peer = 0; peer < ranks; ++peer) {
    const lockfree::PeerTime& time = peers[peer];
    PeerTotals totals{peer,
                      value(time.sent_messages),
                      value(time.sent_bytes),
                      value(time.received_messages),
                      value(time.received_bytes),
                      tick * static_cast<double>(value(time.waiting_ticks))};
    if (totals.sent_messages || totals.received_messages || totals.waiting > 0)
      rank.peers.push_back(totals);
  }
}

}  // namespace

TickLength::TickLength() : ticks_(platform::now_ticks()), ns_(now_ns()) {}

double TickLength::seconds_per_tick() const {
  const std::int64_t ns = now_ns() - ns_;
  const std::int64_t ticks = platform::now_ticks() - ticks_;
  return ticks > 0 ? 1e-9 * static_cast<double>(ns) / static_cast<double>(ticks) : 1e-9;
}

void CallTotals::add(const CallTotals& other) {
  calls += other.calls;
  seconds += other.seconds;
  waiting += other.waiting;
  longest = std::max(longest, other.longest);
  bytes += other.bytes;
}

CallTotals RankTimes::all() const {
  CallTotals sum;
  for (const TimedCallRow& row : calls)
    for (const CallTotals& totals : row.sizes) sum.add(totals);
  return sum;
}

std::vector<int> JobTimes::here() const {
  std::vector<int> numbers;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    if (!ranks[rank].elsewhere) numbers.push_back(static_cast<int>(rank));
  return numbers;
}

PeerTotals RankTimes::with_all() const {
  PeerTotals sum;
  for (const PeerTotals& peer : peers) {
    sum.sent_messages += peer.sent_messages;
    sum.sent_bytes += peer.sent_bytes;
    sum.received_messages += peer.received_messages;
    sum.received_bytes += peer.received_bytes;
    sum.waiting += peer.waiting;
  }
  return sum;
}

namespace {

void read_rank(const TimingPlace& place, int number, JobTimes& times, std::int64_t now) {
  RankTimes& rank = times.ranks[static_cast<std::size_t>(number)];
  const auto layout = lockfree::timing_layout(place.all_ranks, place.plan.event_bytes);
  const Copy copy(place, record_offset(place, number), layout.collectives);
  const auto& head = *copy.at<lockfree::TimingHead>();
  const double tick = times.seconds_per_tick;
  rank.began = value(head.began) != 0;
  if (!rank.began) return;
  rank.begin = times.seconds(value(head.began));
  rank.ended = value(head.ended) != 0;
  rank.end = std::max(rank.begin, times.seconds(rank.ended ? value(head.ended) : now));
  rank.paused = tick * static_cast<double>(value(head.paused_ticks));
  if (const std::int64_t since = value(head.paused_since))
    rank.paused += std::max(0.0, rank.end - times.seconds(since));
  rank.initializing = tick * static_cast<double>(value(head.initializing_ticks));
  rank.threads = value(head.threads) != 0;
  rank.collective_stride = std::max(1u, value(head.collective_stride));
  rank.unkept_communicators = value(head.unkept_communicators);
  rank.events = std::min(count_of(head.events), place.plan.event_bytes / sizeof(lockfree::Event));
  rank.lost_events = value(head.lost_events);
  rank.refused_errno = value(head.refused_errno);
  std::vector<std::uint16_t> places;
  read_calls(copy, layout, tick, count_of(head.calls), rank, places);
  read_peers(copy, layout, tick, static_cast<int>(place.all_ranks), rank);
  const auto* rows = copy.at<lockfree::TimedCommunicator>(layout.communicators);
  const std::uint32_t rows_used =
      std::min(count_of(head.communicators), lockfree::timed_communicators_max);
  for (std::uint32_t i = 0; i < rows_used; ++i)
    rank.communicators.push_back({rows[i].id, rows[i].first_member, rows[i].ranks,
                                  rows[i].between_groups != 0, printable(rows[i].name)});
  const std::uint64_t kept = std::min(count_of(head.collectives), layout.collectives_max);
  const Copy calls(place, record_offset(place, number) + layout.collectives,
                   kept * sizeof(lockfree::CollectiveTime));
  for (std::uint64_t i = 0; i < kept; ++i) {
    const auto& call = calls.at<lockfree::CollectiveTime>()[i];
    if (call.communicator >= rows_used || call.call >= places.size()) continue;
    rank.collectives.push_back({times.seconds(call.entered), times.seconds(call.left), call.number,
                                call.communicator, places[call.call]});
  }
}

}  // namespace

JobTimes read_times(const TimingPlace& place, const TickLength& clock) {
  JobTimes times;
  times.ranks.resize(place.all_ranks);
  for (RankTimes& rank : times.ranks) rank.elsewhere = true;
  for (std::uint32_t i = 0; i < place.ranks; ++i)
    times.ranks[place.first_rank + i].elsewhere = false;
  times.seconds_per_tick = clock.seconds_per_tick();
  const std::int64_t now = platform::now_ticks();
  std::int64_t first = now;
  for (const int rank : times.here()) {
    const Copy head(place, record_offset(place, rank), sizeof(lockfree::TimingHead));
    if (const std::int64_t began = value(head.at<lockfree::TimingHead>()->began); began != 0)
      first = std::min(first, began);
  }
  times.first = static_cast<double>(first);
  for (const int rank : times.here()) read_rank(place, rank, times, now);
  return times;
}

void read_events(const TimingPlace& place, int rank, std::uint64_t count,
                 const std::function<bool(const lockfree::Event&)>& take) {
  constexpr std::uint64_t at_once = 4096;
  const auto layout = lockfree::timing_layout(place.all_ranks, place.plan.event_bytes);
  const std::uint64_t start = record_offset(place, rank) + layout.events;
  for (std::uint64_t done = 0; done < count; done += at_once) {
    const std::uint64_t some = std::min(at_once, count - done);
    const Copy events(place, start + done * sizeof(lockfree::Event),
                      some * sizeof(lockfree::Event));
    for (std::uint64_t i = 0; i < some; ++i)
      if (!take(events.at<lockfree::Event>()[i])) return;
  }
}

}  // namespace baton::status
