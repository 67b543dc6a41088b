#include "message/node/observe.hpp"

#include <algorithm>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "transport/choose.hpp"

namespace baton::message {

namespace {

// Noise only adds: a mean follows a shorter time at once by half, a longer one slowly, and one that
// is out of all proportion (somebody lost its CPU) counts as twice as long.
std::uint32_t follow_mean(std::uint32_t mean, std::int64_t sample) {
  constexpr std::int64_t ticks_max = std::int64_t{1} << 31;
  if (mean == 0) return static_cast<std::uint32_t>(std::clamp(sample, std::int64_t{1}, ticks_max));
  std::int64_t limited = std::min<std::int64_t>(sample, 2 * std::int64_t{mean});
  std::int64_t step = limited - mean;
  return static_cast<std::uint32_t>(
      std::max<std::int64_t>(1, mean + (step < 0 ? step / 2 : step / 4)));
}

// How messages go that nobody has timed yet. Wishes say what differs from that.
bool pulled_unseen(int index) {
  int digits = Timings::digits_min + index % Timings::sizes;
  return std::int64_t{1} << (digits - 1) >= settings.unseen_pull_bytes_min;
}

// Under the account lock.
void wish(NodePeer& peer, std::int64_t bytes, bool exported, bool pull) {
  int index = Timings::index_of(bytes, exported);
  Timings::Seen& seen = peer.observed().seen[index];
  if (seen.pulled_ticks && seen.staged_ticks)
    peer.past().traffic.observed[size_class(bytes)] = pull ? Observation::warm : Observation::cold;
  bool other = pull != pulled_unseen(index);
  if (seen.other == other) return;
  platform::store_shared(seen.other, other);
  peer.link->wish_pull(index, other);
}

}  // namespace

void observe(NodePeer& peer, std::int64_t bytes, bool exported, Taken how,
             std::int64_t cost_ticks) {
  if (!peer.link->is_open()) return;  // it has no use for our wishes
  platform::Guard guard(peer.history_lock);
  int index = Timings::index_of(bytes, exported);
  Timings::Seen& seen = peer.observed().seen[index];
  std::uint32_t& mean = how == Taken::pulled ? seen.pulled_ticks : seen.staged_ticks;
  if (how == Taken::pulled && !exported)
    cost_ticks += cost_ticks * settings.pull_penalty_percent / 100;
  mean = follow_mean(mean, cost_ticks);
  bool now = seen.other != pulled_unseen(index);
  wish(peer, bytes, exported, transport::prefer_pull(seen.pulled_ticks, seen.staged_ticks, now));
}

void observe_not_pullable(NodePeer& peer, std::int64_t bytes, bool exported) {
  if (!peer.link->is_open()) return;
  platform::Guard guard(peer.history_lock);
  wish(peer, bytes, exported, false);
}

bool wishes_pull(const NodePeer& peer, std::int64_t bytes, bool exported) {
  const int index = Timings::index_of(bytes, exported);
  return platform::load_shared(peer.observed().seen[index].other) != pulled_unseen(index);
}

bool should_offer(NodePeer& peer, std::int64_t bytes, bool exported) {
  // Soon, and again soon: first ones are slow, so that some in a row go, and a first few in a row
  // may all be. In the long run less than .5 % of messages, since the other way may take three
  // times as long. Of long messages one at a time does, and there may be few: guesses.
  constexpr std::int64_t long_bytes_min = 1 << 20;
  const bool is_long = bytes > long_bytes_min;
  constexpr std::uint16_t turn_max = 1000;
  const std::uint16_t first_try = is_long ? 9 : 3, in_a_row = is_long ? 1 : 4;
  int index = Timings::index_of(bytes, exported);
  Timings::Trial& trial = peer.observed().trial[index];
  bool other = trial.sent >= first_try && trial.sent < first_try + in_a_row;
  if (trial.sent == trial.turn) {
    trial.sent = 0;
    trial.turn = static_cast<std::uint16_t>(std::min(2 * trial.turn, int{turn_max}));
  } else {
    ++trial.sent;
  }
  return (peer.link->pull_wished(index) != pulled_unseen(index)) != other;
}

}  // namespace baton::message
