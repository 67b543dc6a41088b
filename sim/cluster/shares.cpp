#include "sim/cluster/shares.hpp"

#include <algorithm>
#include <queue>

#include "sim/cluster/shared_link.hpp"
#include "sim/cluster/work.hpp"

namespace baton::cluster {

namespace {

struct Message {
  int from;
  int to;
  double bytes;  // with its header
  bool waits;    // for the receiver's answer
  bool shown;    // on no link
  int links_left;
};

struct Arrival {
  int from;
  double at;
};

struct Rank {
  int index = 0;  // of the step that has begun
  int steps = 0;
  double clock = 0;
  double sent = 0;     // when the last send that is waited for has ended
  int sends_left = 0;  // that are waited for and still on the links
  std::vector<int> from;
  double works = 0;  // adding up and copying, at the step's end
  std::vector<Arrival> arrived;
};

// A message begins (link: none), or the next one on a link has passed, if that is still expected.
struct Event {
  double at;
  std::uint32_t number;  // of the message, or what version of the link expects it
  std::int32_t link;
  bool operator>(const Event& other) const { return at > other.at; }
};
constexpr std::int32_t none = INT32_MIN;

class Shares {
 public:
  Shares(Platform& platform, const Schedule& schedule, int ranks_per_node, const Costs& costs)
      : platform_(platform),
        schedule_(schedule),
        per_node_(ranks_per_node),
        costs_(costs),
        ranks_(static_cast<std::size_t>(schedule.ranks)) {}

  std::vector<double> run() {
    for (int rank = 0; rank < schedule_.ranks; ++rank) {
      of(rank).steps = schedule_.steps(rank);
      go_on(rank);
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.link == none)
        begin(event.number, event.at);
      else if (event.number == link(event.link).version)
        pass(event.link, event.at);
    }
    std::vector<double> ended;
    for (const Rank& rank : ranks_) ended.push_back(rank.clock);
    return ended;
  }

 private:
  Rank& of(int rank) { return ranks_[static_cast<std::size_t>(rank)]; }
  bool near(int one, int other) const { return one / per_node_ == other / per_node_; }
  double overhead(int one, int other) const {
    return near(one, other) ? costs_.node_overhead : costs_.overhead;
  }
  double latency(int from, int to) {
    if (near(from, to)) return costs_.node_latency;
    const auto switches = platform_.route(from / per_node_, to / per_node_).size() - 1;
    return costs_.latency + costs_.switch_latency * static_cast<double>(switches);
  }

  // Below 0: the memory of node -1 - number.
  SharedLink& link(std::int32_t number) {
    auto& links = number < 0 ? memories_ : links_;
    const auto index = static_cast<std::size_t>(number < 0 ? -1 - number : number);
    while (links.size() <= index) {
      const double all =
          number < 0 ? costs_.node_copy : platform_.capacity(static_cast<int>(links.size()));
      links.emplace_back(all, number < 0 ? costs_.core_copy : all);
    }
    return links[index];
  }

  void expect(std::int32_t number, SharedLink& link) {
    ++link.version;
    if (!link.empty()) events_.push({link.next_at(), link.version, number});
  }

  // Of a message on its way: all its links at the same time.
  void begin(std::uint32_t number, double now) {
    Message& message = messages_[number];
    if (message.shown) return deliver(number, now);
    const int from = message.from / per_node_, to = message.to / per_node_;
    auto enter = [&](std::int32_t on) {
      SharedLink& one = link(on);
      one.begin(now, number, message.bytes);
      expect(on, one);
    };
    if (from == to) {
      message.links_left = 1;
      enter(-1 - from);
      return;
    }
    const std::vector<int>& route = platform_.route(from, to);
    message.links_left = static_cast<int>(route.size());
    for (int on : route) enter(on);
  }

  void pass(std::int32_t on, double now) {
    SharedLink& one = link(on);
    const std::uint32_t number = one.next();
    one.end_next(now);
    expect(on, one);
    if (--messages_[number].links_left == 0) deliver(number, now);
  }

  void deliver(std::uint32_t number, double now) {
    const Message message = messages_[number];
    free_.push_back(number);
    const double way = latency(message.from, message.to);
    of(message.to).arrived.push_back({message.from, now + way * (message.waits ? 3 : 1)});
    if (message.waits) {
      Rank& sender = of(message.from);
      --sender.sends_left;
      sender.sent = std::max(sender.sent, now + 2 * way);
      if (end(message.from)) go_on(message.from);
    }
    if (end(message.to)) go_on(message.to);
  }

  void send(int rank, const Send& send, double when) {
    std::uint32_t number = static_cast<std::uint32_t>(messages_.size());
    const Message message{rank,
                          send.to,
                          static_cast<double>(send.bytes) + costs_.header,
                          !send.shown && send.bytes > costs_.eager_max,
                          send.shown,
                          0};
    if (free_.empty()) {
      messages_.push_back(message);
    } else {
      number = free_.back();
      free_.pop_back();
      messages_[number] = message;
    }
    of(rank).sends_left += message.waits;
    events_.push({when, number, none});
  }

  // Begins the rank's next steps, up to one that it has to wait in.
  void go_on(int number) {
    Rank& rank = of(number);
    while (rank.index < rank.steps) {
      Step step = schedule_.step(number, rank.index);
      for (const Send& each : step.sends) {
        if (!each.shown) rank.clock += overhead(number, each.to);
        send(number, each, rank.clock);
      }
      rank.sent = rank.clock;
      rank.from = std::move(step.from);
      rank.works = work_seconds(step, costs_);
      if (!end(number)) return;
    }
  }

  // Whether all of the rank's step has ended; then its clock stands there.
  bool end(int number) {
    Rank& rank = of(number);
    if (rank.index >= rank.steps || rank.sends_left > 0) return false;
    auto last = rank.arrived.begin();
    for (int from : rank.from) {  // moved to the front, in the order of the receives
      const auto found = std::find_if(last, rank.arrived.end(),
                                      [from](const Arrival& each) { return each.from == from; });
      if (found == rank.arrived.end()) return false;
      std::rotate(last, found, found + 1);
      ++last;
    }
    std::size_t at = 0;
    for (int from : rank.from)
      rank.clock = std::max(rank.clock, rank.arrived[at++].at) + overhead(number, from);
    rank.arrived.erase(rank.arrived.begin(), last);
    rank.clock = std::max(rank.clock, rank.sent) + rank.works;
    ++rank.index;
    return true;
  }

  Platform& platform_;
  const Schedule& schedule_;
  int per_node_;
  const Costs& costs_;
  std::vector<Rank> ranks_;
  std::vector<Message> messages_;
  std::vector<std::uint32_t> free_;
  std::vector<SharedLink> links_, memories_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

double last_of(const std::vector<double>& ended) {
  return ended.empty() ? 0 : *std::max_element(ended.begin(), ended.end());
}

}  // namespace

std::vector<double> simulate_shares(Platform& platform, const Schedule& schedule,
                                    int ranks_per_node, const Costs& costs) {
  return Shares(platform, schedule, ranks_per_node, costs).run();
}

Estimate estimate(Platform& platform, const Known& algorithm, const Call& call, const Costs& costs,
                  std::int64_t most) {
  const Schedule all = algorithm.make(call);
  auto seconds = [&](const Schedule& schedule) {
    return last_of(simulate_shares(platform, schedule, call.ranks_per_node, costs));
  };
  auto sampled = [&](std::int64_t steps) {
    Call some = call;
    some.sample = static_cast<int>(steps);
    return algorithm.make(some);
  };
  if (all.alike * all.sends_alike * call.ranks <= most) return {seconds(all), false};
  if (all.identical) {
    // The pace of the second half: what comes before it is paid once.
    const int few = std::max(32, 2 * call.ranks_per_node);
    const Schedule less = sampled(few), more = sampled(2 * few);
    const double first = seconds(less), second = seconds(more);
    const double pace = (second - first) / static_cast<double>(more.alike_here - less.alike_here);
    return {second + pace * static_cast<double>(all.alike - more.alike_here), true};
  }
  const std::int64_t space = most / (all.sends_alike * call.ranks);
  const Schedule some = sampled(std::clamp<std::int64_t>(space, 6, 64));
  const double without = seconds(sampled(no_step));
  const double scale = static_cast<double>(all.alike) / static_cast<double>(some.alike_here);
  return {without + (seconds(some) - without) * scale, true};
}

}  // namespace baton::cluster
