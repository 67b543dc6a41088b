#include "sim/cluster/schedule.hpp"

#include <algorithm>
#include <utility>

namespace baton::cluster {

namespace {

// A step of a schedule that does not divide its vector, among others that divide it.
Step of_parts(Step step, std::int64_t parts) {
  for (Send& send : step.sends)
    if (send.content.kind == Content::Kind::parts || send.content.kind == Content::Kind::sums)
      send.content.count = static_cast<int>(parts);
  return step;
}

}  // namespace

Schedule then(Schedule first, Schedule second) {
  Schedule both;
  both.ranks = first.ranks;
  both.parts = std::max(first.parts, second.parts);
  both.alike = first.alike + second.alike;
  both.alike_here = first.alike_here + second.alike_here;
  both.sends_alike = std::max(first.sends_alike, second.sends_alike);
  both.identical = first.identical || second.identical;
  both.steps = [one = first.steps, two = second.steps](int rank) { return one(rank) + two(rank); };
  auto divide = [all = both.parts](const Schedule& some, Step step) {
    return some.parts == 1 && all > 1 ? of_parts(std::move(step), all) : step;
  };
  both.step = [=, one = std::move(first), two = std::move(second)](int rank, int index) {
    const int before = one.steps(rank);
    return index < before ? divide(one, one.step(rank, index))
                          : divide(two, two.step(rank, index - before));
  };
  return both;
}

Schedule among(const Schedule& some, int ranks, std::function<int(int)> member,
               std::function<int(int)> rank) {
  Schedule all = some;
  all.ranks = ranks;
  all.steps = [some, member](int own) {
    const int number = member(own);
    return number < 0 ? 0 : some.steps(number);
  };
  all.step = [some, member, rank](int own, int index) {
    Step step = some.step(member(own), index);
    for (Send& send : step.sends) send.to = rank(send.to);
    for (int& from : step.from) from = rank(from);
    return step;
  };
  return all;
}

Schedule among_leaders(const Schedule& some, int ranks, int ranks_per_node) {
  return among(
      some, ranks,
      [ranks_per_node](int own) { return own % ranks_per_node ? -1 : own / ranks_per_node; },
      [ranks_per_node](int leader) { return leader * ranks_per_node; });
}

Schedule within_nodes(int ranks, int ranks_per_node, const std::function<Schedule(int)>& make) {
  const int last = ranks % ranks_per_node;
  const Schedule full = make(std::min(ranks, ranks_per_node));
  const Schedule rest = last ? make(last) : full;
  const int begin_of_rest = last ? ranks - last : ranks;
  Schedule all;
  all.ranks = ranks;
  all.parts = full.parts;
  all.steps = [=](int own) {
    return (own < begin_of_rest ? full : rest).steps(own % ranks_per_node);
  };
  all.step = [=](int own, int index) {
    Step step = (own < begin_of_rest ? full : rest).step(own % ranks_per_node, index);
    const int begin = own / ranks_per_node * ranks_per_node;
    for (Send& send : step.sends) send.to += begin;
    for (int& from : step.from) from += begin;
    return step;
  };
  return all;
}

}  // namespace baton::cluster
