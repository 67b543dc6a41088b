#include "cli/tune/plan.hpp"

#include <algorithm>

namespace baton::cli::tune {

int steps_apart(const machine::Cpu& one, const machine::Cpu& other) {
  if (one.l2 >= 0 && one.l2 == other.l2) return 0;
  if (one.l3 >= 0 && one.l3 == other.l3) return 1;
  return one.numa_node >= 0 && one.numa_node == other.numa_node ? 2 : 3;
}

const char* class_name(int steps) {
  constexpr const char* names[] = {"l2", "l3", "numa_node", "other"};
  return names[steps];
}

std::vector<profile::Pair> pairs_of(const machine::Machine& machine) {
  std::vector<profile::Pair> pairs;
  bool cores_enough = machine::core_count(machine) > 1;
  for (const machine::Cpu& one : machine.cpus)
    for (const machine::Cpu& other : machine.cpus) {
      if (other.os <= one.os || (cores_enough && one.core == other.core)) continue;
      const char* peers = class_name(steps_apart(one, other));
      bool known = std::ranges::any_of(
          pairs, [&](const profile::Pair& pair) { return pair.peers == peers; });
      if (!known) pairs.push_back({peers, {one.os, other.os}});
    }
  return pairs;
}

int milliseconds_each(const std::vector<Question>& asked, std::size_t pairs, double seconds) {
  constexpr double beside = 1.6;  // guess: starting jobs, finding the length of a step
  constexpr int most = 20;        // guess: a longer time adds little, another round more
  std::size_t times = 0;
  for (const Question& question : asked)
    times += 2 * question.variants.size() * question.sizes.size() * question.patterns.size();
  double each = seconds * 1000 / (rounds_wanted * beside * static_cast<double>(times * pairs));
  return std::clamp(static_cast<int>(each), milliseconds_least, most);
}

}  // namespace baton::cli::tune
