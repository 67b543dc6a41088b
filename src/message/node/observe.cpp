#include "message/node/observe.hpp"

#include <new>

#include "base/settings.hpp"
#include "message/core/engine.hpp"
#include "platform/clock.hpp"
#include "transport/choose.hpp"

namespace baton::message {

namespace {

// Messages of so many bytes are copied by both sides wherever they can be, and no other way is
// tried: a program may not send as many as it takes to learn from trials. Measured on Xeon (model
// 167), far, 2026-11-28, 16 MiB, us, chosen by trials and by both sides: ping-pong warm 1150 1090,
// cold 3420 3140; 64 one way warm 1380 860, cold 4460 3790; 64 both ways warm 1360 930, cold 3890
// 3760. With 8 MiB and data just written trials win (2140 2660). A guess on other processors.
constexpr std::int64_t untried_bytes_min = 16 << 20;

constexpr std::uint64_t bit_of(int index) {
  return std::uint64_t{1} << index;
}

bool may_share(std::int64_t bytes) {
  return transport::piece_bytes(bytes, settings.shared_bytes_min) > 0 && !engine.oversubscribed;
}
int ways_of(std::int64_t bytes) {
  return may_share(bytes) ? 3 : 2;
}
bool is_pulled(int way) {
  return static_cast<Taken>(way) != Taken::pipelined;
}

// How messages go that nobody has timed yet.
Taken unseen_way(int index) {
  const int digits = Timings::digits_min + index % Timings::sizes;
  const std::int64_t bytes = std::int64_t{1} << (digits - 1);
  if (bytes < settings.unseen_pull_bytes_min) return Taken::pipelined;
  return may_share(bytes) ? Taken::shared : Taken::pulled;
}

bool unseen_is_pulled(int index) {
  return is_pulled(static_cast<int>(unseen_way(index)));
}

// How many messages in a row try another way. Of long ones there may be few, and the other way may
// take three times as long.
int messages_in_trial(std::int64_t bytes) {
  constexpr std::int64_t long_bytes_min = (1 << 20) + 1;
  return bytes >= long_bytes_min ? 1 : 4;  // guess
}

Timings::Choices* make_choices() {
  auto* choices = new (std::nothrow) Timings::Choices;
  for (int i = 0; choices && i < Timings::count; ++i)
    choices->of[i].use(static_cast<int>(unseen_way(i)));
  return choices;
}

// Returns the choice among the ways of such messages at the distance that the peer has now; null:
// no memory. Under the history lock.
Timings::Choice* choice_of(Timings& timings, int index) {
  auto& seen = timings.seen[static_cast<int>(timings.distance.now())];
  if (!seen) seen.reset(make_choices());
  return seen ? &seen->of[index] : nullptr;
}

// Tells the peer which way the next message of this size shall go. Under the history lock.
void tell(NodePeer& peer, std::int64_t bytes, int index, const Timings::Choice& choice) {
  if (choice.has_seen_all(ways_of(bytes)))
    peer.past().traffic.observed[size_class(bytes)] =
        is_pulled(choice.best()) ? Observation::warm : Observation::cold;
  const bool other = is_pulled(choice.now()) != unseen_is_pulled(index);
  if (((peer.timings.told & bit_of(index)) != 0) == other) return;
  platform::store_shared(peer.timings.told, peer.timings.told ^ bit_of(index));
  peer.link->wish_pull(index, other);
}

// Lets the choice among the ways of such messages change, and tells the peer of it.
template <class Change>
void change_choice(NodePeer& peer, std::int64_t bytes, bool exported, Change change) {
  if (!peer.link->is_open()) return;  // it has no use for what we tell it
  platform::Guard guard(peer.history_lock);
  const int index = Timings::index_of(bytes, exported);
  Timings::Choice* choice = choice_of(peer.timings, index);
  if (!choice) return;
  change(*choice);
  tell(peer, bytes, index, *choice);
}

}  // namespace

void observe(NodePeer& peer, std::int64_t bytes, bool exported, Taken how,
             transport::MoveCost cost) {
  if (bytes >= untried_bytes_min && may_share(bytes)) return;
  if (how != Taken::pipelined && !exported)
    cost.later += cost.measured * settings.pull_penalty_percent / 100;
  change_choice(peer, bytes, exported, [&](Timings::Choice& choice) {
    choice.took(static_cast<int>(how), cost, platform::now_ticks(), messages_in_trial(bytes),
                ways_of(bytes));
  });
}

void observe_not_pullable(NodePeer& peer, std::int64_t bytes, bool exported) {
  change_choice(peer, bytes, exported,
                [](Timings::Choice& choice) { choice.use(static_cast<int>(Taken::pipelined)); });
}

bool wishes_shared(NodePeer& peer, std::int64_t bytes, bool exported) {
  if (!settings.observe || !peer.link->is_open()) return true;
  platform::Guard guard(peer.history_lock);
  const Timings::Choice* choice = choice_of(peer.timings, Timings::index_of(bytes, exported));
  return !choice || static_cast<Taken>(choice->now()) != Taken::pulled;
}

bool wishes_pull(const NodePeer& peer, std::int64_t bytes, bool exported) {
  const int index = Timings::index_of(bytes, exported);
  const bool other = (platform::load_shared(peer.timings.told) & bit_of(index)) != 0;
  return other != unseen_is_pulled(index);
}

bool should_offer(NodePeer& peer, std::int64_t bytes, bool exported) {
  const int index = Timings::index_of(bytes, exported);
  const bool other = peer.link->pull_wished(index);
  const bool pull = other != unseen_is_pulled(index);
  if (((peer.timings.heard & bit_of(index)) != 0) != other) {
    peer.timings.heard ^= bit_of(index);
    change_choice(peer, bytes, exported, [&](Timings::Choice& choice) {
      const Taken way = !pull ? Taken::pipelined : may_share(bytes) ? Taken::shared : Taken::pulled;
      if (pull != is_pulled(choice.best()))
        choice.try_too(static_cast<int>(way), messages_in_trial(bytes));
    });
  }
  return pull;
}

}  // namespace baton::message
