#include "sim/cluster/flows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "sim/cluster/work.hpp"

namespace baton::cluster {

namespace s4u = simgrid::s4u;

namespace {

// The ranks of one job. A pair's messages go through a mailbox whose receiver is known, so that
// each begins when it is sent.
class Ranks {
 public:
  Ranks(Platform& platform, const Job& job, std::size_t number, std::vector<double>& ended)
      : platform_(platform), job_(job), number_(number), ended_(ended) {
    const int ranks = job.schedule->ranks;
    ended_.resize(static_cast<std::size_t>(ranks));
    began_ = s4u::Engine::get_clock();
    // Nobody goes before all are there.
    for (int rank = 0; rank < ranks; ++rank)
      actors_.push_back(s4u::Actor::create(fmt::format("rank {}", rank), host(rank), [this, rank] {
        while (!begun_) s4u::this_actor::suspend();
        go(rank);
      }));
    s4u::this_actor::yield();
    begun_ = true;
    for (auto& actor : actors_) actor->resume();
    for (auto& actor : actors_) actor->join();
    // Else they would keep their ranks, and the stacks of these.
    for (const auto& [pair, box] : mailboxes_) box->set_receiver(nullptr);
  }

 private:
  int node(int rank) const { return rank / job_.ranks_per_node; }
  s4u::Host* host(int rank) const { return platform_.host(node(rank)); }
  bool near(int one, int other) const { return node(one) == node(other); }
  double overhead(int one, int other) const {
    return near(one, other) ? job_.costs.node_overhead : job_.costs.overhead;
  }
  bool waits(std::int64_t bytes) const { return bytes > job_.costs.eager_max; }

  double latency(int from, int to) const {
    if (near(from, to)) return job_.costs.node_latency;
    const auto switches = platform_.route(node(from), node(to)).size() - 1;
    return job_.costs.latency + job_.costs.switch_latency * static_cast<double>(switches);
  }

  static std::uint64_t pair(int from, int to) {
    return std::uint64_t(from) << 32 | static_cast<std::uint32_t>(to);
  }
  s4u::Mailbox* mailbox(int from, int to) {
    s4u::Mailbox*& box = mailboxes_[pair(from, to)];
    if (!box) {
      box = s4u::Mailbox::by_name(fmt::format("{}-{}-{}", number_, from, to));
      box->set_receiver(actors_[static_cast<std::size_t>(to)]);
    }
    return box;
  }

  // What a message says of itself.
  struct Letter {
    bool waits;
  };

  void go(int rank) {
    const int steps = job_.schedule->steps(rank);
    for (int index = 0; index < steps; ++index) take(rank, job_.schedule->step(rank, index));
    ended_[static_cast<std::size_t>(rank)] = s4u::Engine::get_clock() - began_;
  }

  struct Sent {
    s4u::CommPtr flow;
    double answer;
  };

  void take(int rank, const Step& step) {
    std::vector<Sent> long_ones;
    for (const Send& send : step.sends) {
      if (send.shown) {
        show(rank, send.to);
        continue;
      }
      work(overhead(rank, send.to));
      auto flow = mailbox(rank, send.to)
                      ->put_init(waits(send.bytes) ? &long_letter_ : &short_letter_,
                                 static_cast<std::uint64_t>(static_cast<double>(send.bytes) +
                                                            job_.costs.header));
      if (near(rank, send.to))
        flow->set_rate(job_.costs.core_copy);
      else if (job_.costs.one_message > 0)
        flow->set_rate(job_.costs.one_message);
      if (waits(send.bytes)) {
        flow->start();
        long_ones.push_back({flow, 2 * latency(rank, send.to)});
      } else {
        flow->detach();
      }
    }
    if (step.sees) see(rank, step.from);
    for (int from : step.sees ? std::vector<int>() : step.from) {
      Letter* letter = nullptr;
      auto flow = mailbox(from, rank)->get_async<Letter>(&letter);
      flow->wait();
      sleep_until(flow->get_finish_time() + latency(from, rank) * (letter->waits ? 3 : 1));
      work(overhead(rank, from));
    }
    for (auto& [flow, answer] : long_ones) {
      flow->wait();
      sleep_until(flow->get_finish_time() + answer);
    }
    work(work_seconds(step, job_.costs));
  }

  // What ranks of a node show each other is no flow, and waited for without the engine's mailboxes.
  void show(int from, int to) {
    shown_[pair(from, to)].push_back(s4u::Engine::get_clock());
    if (const auto found = watches_.find(to); found != watches_.end() && found->second == from)
      actors_[static_cast<std::size_t>(to)]->resume();
  }
  void see(int rank, const std::vector<int>& all) {
    double seen = s4u::Engine::get_clock();
    for (int from : all) {
      std::deque<double>& queue = shown_[pair(from, rank)];
      while (queue.empty()) {
        watches_[rank] = from;
        s4u::this_actor::suspend();
      }
      watches_.erase(rank);
      seen = std::max(seen, queue.front() + job_.costs.node_latency) + job_.costs.node_overhead;
      queue.pop_front();
    }
    sleep_until(seen);
  }

  // CPU time.
  void work(double seconds) const {
    if (seconds <= 0) return;
    if (s4u::Host* machine = platform_.machine())
      s4u::Exec::init()->set_flops_amount(seconds * core_speed)->set_host(machine)->start()->wait();
    else
      sleep(seconds);
  }
  static void sleep(double seconds) {
    if (seconds > 0) s4u::this_actor::sleep_for(seconds);
  }
  static void sleep_until(double when) { sleep(when - s4u::Engine::get_clock()); }

  Platform& platform_;
  const Job& job_;
  std::size_t number_;
  std::vector<double>& ended_;
  std::vector<s4u::ActorPtr> actors_;
  std::unordered_map<std::uint64_t, s4u::Mailbox*> mailboxes_;
  std::unordered_map<std::uint64_t, std::deque<double>> shown_;  // by pair: when
  std::unordered_map<int, int> watches_;                         // whom a rank waits for
  double began_ = 0;
  bool begun_ = false;
  Letter short_letter_{false}, long_letter_{true};
};

}  // namespace

std::vector<std::vector<double>> simulate_flows(Platform& platform, const std::vector<Job>& jobs) {
  return simulate_flows(platform, jobs, {});
}

std::vector<std::vector<double>> simulate_flows(Platform& platform, const std::vector<Job>& jobs,
                                                const std::vector<Extra>& extras) {
  std::vector<std::vector<double>> all(jobs.size());
  if (jobs.empty() && extras.empty()) return all;
  s4u::Actor::create("driver", platform.host(0), [&] {
    for (std::size_t i = 0; i < jobs.size(); ++i) Ranks(platform, jobs[i], i, all[i]);
    for (const Extra& extra : extras) extra();
  });
  platform.engine().run();
  return all;
}

}  // namespace baton::cluster
