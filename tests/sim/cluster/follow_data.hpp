// Runs a schedule and follows the data: each rank's steps in order, messages of a pair in order.
// What a rank sends is what it has when its step begins. For tests of schedules.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <utility>

#include "sim/cluster/schedule.hpp"

namespace baton::cluster {

// `State` has: Load give(int from, const Send&), which may also say what is wrong in `problem`; and
// void take(int to, const Load&).
template <class State>
class FollowData {
 public:
  using Load = typename State::Load;

  FollowData(const Schedule& schedule, State& state) : schedule_(schedule), state_(state) {}

  // Empty, or what is wrong.
  std::string run() {
    std::vector<int> index(static_cast<std::size_t>(schedule_.ranks), 0);
    std::vector<bool> begun(index.size(), false);
    std::vector<Step> steps(index.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < index.size(); ++rank)
        while (index[rank] < schedule_.steps(static_cast<int>(rank))) {
          const int number = static_cast<int>(rank);
          if (!begun[rank]) begin(number, steps[rank] = schedule_.step(number, index[rank]));
          begun[rank] = true;
          if (!arrived(number, steps[rank])) break;
          for (int from : steps[rank].from) take(number, from);
          begun[rank] = false;
          ++index[rank];
          moved = true;
        }
    }
    for (std::size_t rank = 0; rank < index.size(); ++rank)
      if (index[rank] < schedule_.steps(static_cast<int>(rank)))
        return "rank " + std::to_string(rank) + " waits for ever in step " +
               std::to_string(index[rank]);
    for (const auto& [pair, queue] : under_way_)
      if (!queue.empty()) return "a message to " + std::to_string(pair.second) + " is left";
    return state_.problem;
  }

 private:
  void begin(int rank, const Step& step) {
    for (const Send& send : step.sends) {
      if (send.to < 0 || send.to >= schedule_.ranks || send.to == rank)
        state_.problem = "rank " + std::to_string(rank) + " sends to " + std::to_string(send.to);
      under_way_[{rank, send.to}].push_back(state_.give(rank, send));
    }
  }
  bool arrived(int rank, const Step& step) {
    std::map<int, std::size_t> wanted;
    for (int from : step.from) ++wanted[from];
    for (const auto& [from, count] : wanted)
      if (under_way_[{from, rank}].size() < count) return false;
    return true;
  }
  void take(int rank, int from) {
    auto& queue = under_way_[{from, rank}];
    state_.take(rank, queue.front());
    queue.pop_front();
  }

  const Schedule& schedule_;
  State& state_;
  std::map<std::pair<int, int>, std::deque<Load>> under_way_;
};

}  // namespace baton::cluster
