#include "sim/bus/status.hpp"

#include <algorithm>
#include <bit>

namespace baton::bus {

namespace {

/// As it was `age` cycles before `cycle`; before its earlier transfer had begun a channel was idle.
Bytes left_before(const Channel& channel, Cycles cycle, Cycles age) {
  if (age <= cycle) return left_at(channel, cycle - age);
  if (channel.left == 0) return 0;
  Cycles since = data_cycles(std::max(channel.earlier, channel.left) - channel.left);
  Cycles back = age - cycle;
  if (back > since) return 0;
  return std::min(std::max(channel.earlier, channel.left), channel.left + back * bytes_per_cycle);
}

}  // namespace

Cycles idle_from(const Channel& channel) {
  return data_cycles(channel.left);
}

Bytes left_at(const Channel& channel, Cycles cycle) {
  if (channel.condition != Condition::sound) return unknown_left;
  if (cycle >= idle_from(channel)) return 0;
  return channel.left - cycle * bytes_per_cycle;
}

StatusEntry told(int node, const Channel& channel, const Flaw& flaw, Cycles cycle) {
  Bytes left =
      channel.condition == Condition::sound ? left_before(channel, cycle, flaw.age) : unknown_left;
  bool idle = left == 0;
  if (!flaw.wrong) return {node, idle, left};
  return idle ? StatusEntry{node, false, std::max<Bytes>(flaw.claimed, 1)}
              : StatusEntry{node, true, 0};
}

StatusEntry coarse(StatusEntry entry, Detail detail) {
  if (entry.idle || entry.left > unknown_left / 2 || detail == Detail::bytes) return entry;
  entry.left = detail == Detail::classes ? std::bit_ceil(entry.left) : 1;
  return entry;
}

}  // namespace baton::bus
