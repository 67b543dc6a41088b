#include "sim/cluster/scatter_orders.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>

#include "collective/next_served.hpp"

namespace baton::cluster {

namespace s4u = simgrid::s4u;

namespace {

constexpr int at_once_by_status = 8;  // as in src/collective/serving.cpp

// Whom the root serves, in turn. `left(rank)`: bytes that a rank still receives of something else.
class Turns {
 public:
  explicit Turns(const ScatterOrder& given) : order_(given.order) {
    for (int rank = 1; rank < given.ranks; ++rank) waiting_.push_back(rank);
    at_ = waiting_.data();
    count_ = static_cast<int>(waiting_.size());
  }
  bool more() const { return count_ > 0; }
  template <class Left>
  int next(Left&& left) {
    const int index =
        order_ == Order::status
            ? collective::next_served(at_, count_,
                                      [&](int rank) { return lockfree::channel_class(left(rank)); })
            : 0;
    return collective::take_waiting(at_, count_, index);
  }

 private:
  Order order_;
  std::vector<int> waiting_;
  int* at_;
  int count_;
};

ScatterTimes times_of(const ScatterOrder& given, const std::vector<double>& ended) {
  ScatterTimes times;
  int idle = 0;
  for (int rank = 1; rank < given.ranks; ++rank) {
    const double at = ended[static_cast<std::size_t>(rank)];
    times.last = std::max(times.last, at);
    times.mean += at / (given.ranks - 1);
    if (busy_bytes_of(given, rank)) continue;
    times.mean_idle += at;
    ++idle;
  }
  times.mean_idle = idle ? times.mean_idle / idle : 0;
  return times;
}

double answer(Platform& platform, const ScatterOrder& given, int rank) {
  return platform.latency(0, rank) * (given.bytes > platform.costs().eager_max ? 3 : 1) +
         platform.costs().overhead;
}

}  // namespace

int at_once(Order order) {
  return order == Order::status ? at_once_by_status : order == Order::blocking ? 1 : 0;
}

std::int64_t busy_bytes_of(const ScatterOrder& given, int rank) {
  // Spread evenly, whatever the share; not in the order of ranks.
  const double place = std::fmod(rank * 0.6180339887498949, 1.0);
  if (place >= given.busy || rank == given.ranks - 1) return 0;
  return static_cast<std::int64_t>(static_cast<double>(given.busy_bytes) *
                                   (0.5 + std::fmod(rank * 0.4142135623730951, 1.0)));
}

ScatterTimes scatter_by_flows(Platform& platform, const ScatterOrder& given) {
  const double began = s4u::Engine::get_clock();
  std::vector<s4u::CommPtr> others(static_cast<std::size_t>(given.ranks));
  for (int rank = 1; rank < given.ranks; ++rank) {
    const auto bytes = static_cast<std::uint64_t>(busy_bytes_of(given, rank));
    // From a neighbor: it passes nothing that blocks pass, but for the receiver's own link.
    const int from = rank + 1;
    if (bytes)
      others[static_cast<std::size_t>(rank)] =
          s4u::Comm::sendto_async(platform.host(from), platform.host(rank), bytes);
  }
  auto left = [&](int rank) {
    const auto& flow = others[static_cast<std::size_t>(rank)];
    return !flow || flow->test() ? std::int64_t{0} : std::llround(flow->get_remaining());
  };
  const auto wire =
      static_cast<std::uint64_t>(static_cast<double>(given.bytes) + platform.costs().header);
  std::vector<s4u::CommPtr> blocks(static_cast<std::size_t>(given.ranks));
  std::vector<s4u::CommPtr> under_way;
  const auto most = static_cast<std::size_t>(at_once(given.order));
  for (Turns turns(given); turns.more();) {
    if (most && under_way.size() >= most) {
      const auto ended = s4u::Comm::wait_any(under_way);
      under_way.erase(under_way.begin() + ended);
    }
    const int rank = turns.next(left);
    s4u::this_actor::sleep_for(platform.costs().overhead);
    auto flow = s4u::Comm::sendto_async(platform.host(0), platform.host(rank), wire);
    blocks[static_cast<std::size_t>(rank)] = flow;
    under_way.push_back(flow);
  }
  std::vector<double> ended(static_cast<std::size_t>(given.ranks));
  for (int rank = 1; rank < given.ranks; ++rank) {
    auto& flow = blocks[static_cast<std::size_t>(rank)];
    flow->wait();
    ended[static_cast<std::size_t>(rank)] =
        flow->get_finish_time() - began + answer(platform, given, rank);
  }
  for (auto& flow : others)
    if (flow) flow->wait();
  return times_of(given, ended);
}

namespace {

// Blocks of one length that share the root's link equally, so that those that began first end
// first. Of one alone, what its receiver still gets from others leaves it half of that link.
class Link {
 public:
  Link(const ScatterOrder& given, double link, double wire)
      : given_(given), link_(link), wire_(wire), ended_(static_cast<std::size_t>(given.ranks)) {}

  double now() const { return now_; }
  std::size_t under_way() const { return under_way_.size(); }
  void begin(int rank) {
    const double other = static_cast<double>(busy_bytes_of(given_, rank)) / link_;
    under_way_.push_back({rank, served_ + wire_, now_ + 2 * std::max(0.0, other - now_)});
  }
  void pass(double seconds) {
    const double until = now_ + seconds;
    while (!under_way_.empty() && advance(until)) continue;
    now_ = until;
  }
  void end_one() {
    while (!advance(std::numeric_limits<double>::max())) continue;
  }
  double ended(int rank) const { return ended_[static_cast<std::size_t>(rank)]; }

 private:
  struct Block {
    int rank;
    double ends;  // when each of those under way has been served so many bytes
    double shared_until;
  };

  // To the next change, at most until then; whether a block has ended.
  bool advance(double until) {
    const Block first = under_way_.front();
    const bool shares = under_way_.size() == 1 && first.shared_until > now_;
    const double rate = link_ / (shares ? 2 : static_cast<double>(under_way_.size()));
    const double end = now_ + (first.ends - served_) / rate;
    if (shares && first.shared_until < std::min(end, until)) {
      served_ += (first.shared_until - now_) * rate;
      now_ = first.shared_until;
      return advance(until);
    }
    if (end > until) {
      served_ += (until - now_) * rate;
      now_ = until;
      return false;
    }
    served_ = first.ends;
    now_ = end;
    ended_[static_cast<std::size_t>(first.rank)] = now_;
    under_way_.pop_front();
    return true;
  }

  const ScatterOrder& given_;
  double link_, wire_;
  std::vector<double> ended_;
  std::deque<Block> under_way_;
  double now_ = 0;
  double served_ = 0;  // bytes of each that is under way all the time
};

}  // namespace

ScatterTimes scatter_in_closed_form(Platform& platform, const ScatterOrder& given) {
  const Costs& costs = platform.costs();
  Link link(given, costs.link, static_cast<double>(given.bytes) + costs.header);
  const auto most = static_cast<std::size_t>(at_once(given.order));
  auto left = [&](int rank) {
    return std::max<std::int64_t>(
        0, busy_bytes_of(given, rank) - std::llround(link.now() * costs.link));
  };
  for (Turns turns(given); turns.more();) {
    if (most && link.under_way() >= most) link.end_one();
    const int rank = turns.next(left);
    link.pass(costs.overhead);
    link.begin(rank);
  }
  while (link.under_way() > 0) link.end_one();
  std::vector<double> ended(static_cast<std::size_t>(given.ranks));
  for (int rank = 1; rank < given.ranks; ++rank)
    ended[static_cast<std::size_t>(rank)] = link.ended(rank) + answer(platform, given, rank);
  return times_of(given, ended);
}

}  // namespace baton::cluster
