#include "launch/reports/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>

#include "base/version.hpp"
#include "launch/reports/json_text.hpp"
#include "lockfree/job.hpp"

namespace baton::launch {

namespace {

using lockfree::Event;
using lockfree::EventKind;
using status::JobTimes;
using status::RankTimes;

// This is one end of a message. Ends with equal sender, receiver, communicator and tag match in the
// order in which both sides began them.
struct End {
  int sender, receiver;
  int row;  // of the timeline
  std::uint32_t communicator;
  std::int32_t tag;
  std::uint64_t order;
  double began, ended;
  std::uint64_t bytes;

  auto way() const { return std::tie(sender, receiver, communicator, tag); }
  auto place() const { return std::tie(sender, receiver, communicator, tag, order); }
};

class Writer {
 public:
  explicit Writer(const std::function<bool(std::string_view)>& write) : write_(write) {}

  template <class... Values>
  void event(fmt::format_string<Values...> format, Values&&... values) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    fmt::format_to(std::back_inserter(text_), format, std::forward<Values>(values)...);
    if (text_.size() > 1 << 16) flush();
  }
  void raw(std::string_view text) { text_ += text; }
  void flush() {
    if (good_ && !text_.empty()) good_ = write_(text_);
    text_.clear();
  }
  bool good() const { return good_; }

 private:
  const std::function<bool(std::string_view)>& write_;
  std::string text_;
  bool first_ = true;
  bool good_ = true;
};

// Returns a row for each thread of a rank that calls MPI. The number of the first thread's row is
// the rank's.
int row_of(int rank, const Event& event) {
  return event.thread * lockfree::ranks_max + rank;
}

void name_row(Writer& writer, int rank, int thread) {
  const std::string name =
      thread ? fmt::format("rank {}, thread {}", rank, thread) : fmt::format("rank {}", rank);
  const int row = thread * lockfree::ranks_max + rank;
  writer.event(R"({{"ph":"M","pid":0,"tid":{},"name":"thread_name","args":{{"name":"{}"}}}})", row,
               name);
  writer.event(
      R"({{"ph":"M","pid":0,"tid":{},"name":"thread_sort_index","args":{{"sort_index":{}}}}})", row,
      256 * rank + thread);
}

// Events may hold anything, so the index is checked.
const std::string& call_name(const RankTimes& rank, const Event& event) {
  static const std::string unknown = "MPI";
  return event.call < rank.names.size() ? rank.names[event.call] : unknown;
}

void write_call(Writer& writer, int row, const RankTimes& times, const Event& event,
                const JobTimes& job) {
  const double began = 1e6 * job.seconds(event.began);
  const double lasted = 1e6 * std::max(0.0, job.seconds(event.ended) - job.seconds(event.began));
  std::string more;
  if (event.bytes) more += fmt::format(R"(,"bytes":{})", event.bytes);
  if (event.peer >= 0) more += fmt::format(R"(,"peer":{})", event.peer);
  const double waited = 1e6 * job.seconds_per_tick * static_cast<double>(event.waiting_or_order);
  writer.event(
      R"({{"ph":"X","pid":0,"tid":{},"ts":{:.3f},"dur":{:.3f},"name":{},"args":{{"waiting_us":{:.3f}{}}}}})",
      row, began, lasted, json_text(call_name(times, event)), waited, more);
}

void write_arrow(Writer& writer, std::uint64_t number, const End& sent, const End& received) {
  // An arrow begins in the call that sent the message, and ends in the call in which the program
  // learned of it.
  writer.event(
      R"({{"ph":"s","pid":0,"tid":{},"ts":{:.3f},"id":{},"cat":"message","name":"{} B, tag {}"}})",
      sent.row, 1e6 * sent.began, number, sent.bytes, sent.tag);
  writer.event(
      R"({{"ph":"f","bp":"e","pid":0,"tid":{},"ts":{:.3f},"id":{},"cat":"message","name":"{} B, tag {}"}})",
      received.row, 1e6 * received.ended, number, sent.bytes, sent.tag);
}

// Where one side has recorded less than the other, some messages between the two stay without an
// arrow.
void write_arrows(Writer& writer, std::vector<End>& sent, std::vector<End>& received) {
  std::ranges::stable_sort(sent, {}, &End::place);
  std::ranges::stable_sort(received, {}, &End::place);
  std::uint64_t arrows = 0;
  for (std::size_t s = 0, r = 0; s < sent.size() && r < received.size();) {
    if (sent[s].way() < received[r].way())
      ++s;
    else if (received[r].way() < sent[s].way())
      ++r;
    else if (received[r].ended < sent[s].began)  // its send was not recorded
      ++r;
    else if (received[r].bytes > sent[s].bytes)  // this one's receive was not recorded
      ++s;
    else
      write_arrow(writer, ++arrows, sent[s++], received[r++]);
  }
}

}  // namespace

bool write_trace(const status::TimingPlace& place, const JobTimes& times,
                 const std::string& program, const std::function<bool(std::string_view)>& write) {
  Writer writer(write);
  writer.raw(fmt::format(
      R"({{"displayTimeUnit":"ns","otherData":{{"program":{},"library":"Baton {}"}},"traceEvents":[)",
      json_text(program), version));
  writer.event(R"({{"ph":"M","pid":0,"name":"process_name","args":{{"name":{}}}}})",
               json_text(program));
  std::vector<End> sent, received;
  for (const int rank : times.here()) {
    const RankTimes& of = times.ranks[static_cast<std::size_t>(rank)];
    name_row(writer, rank, 0);
    int threads = 1;
    status::read_events(place, rank, of.events, [&](const Event& event) {
      for (; threads <= event.thread; ++threads) name_row(writer, rank, threads);
      const int row = row_of(rank, event);
      const double began = times.seconds(event.began), ended = times.seconds(event.ended);
      if (event.kind == EventKind::call) {
        write_call(writer, row, of, event, times);
      } else if (event.kind == EventKind::sent) {
        sent.push_back({rank, event.peer, row, event.communicator, event.tag, sent.size(), began,
                        ended, event.bytes});
      } else if (event.kind == EventKind::received) {
        received.push_back({event.peer, rank, row, event.communicator, event.tag,
                            event.waiting_or_order, began, ended, event.bytes});
      }
      return writer.good();
    });
  }
  write_arrows(writer, sent, received);
  writer.raw("\n]}\n");
  writer.flush();
  return writer.good();
}

}  // namespace baton::launch
