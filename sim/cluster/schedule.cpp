#include "sim/cluster/schedule.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace baton::cluster {

namespace {

bool is_of_parts(const Content& content) {
  return content.kind == Content::Kind::parts || content.kind == Content::Kind::sums;
}

// The same with its vector divided further, into `parts`.
Schedule divided(const Schedule& some, std::int64_t parts) {
  if (some.parts == parts) return some;
  const auto factor = static_cast<int>(parts / some.parts);
  Schedule made = with_content(some, [factor](int, Content content) {
    if (!is_of_parts(content)) return content;
    return Content{content.kind, content.first * factor, content.count * factor};
  });
  made.parts = parts;
  return made;
}

}  // namespace

Schedule with_content(const Schedule& some, std::function<Content(int, Content)> change) {
  Schedule made = some;
  made.step = [step = some.step, change = std::move(change)](int rank, int index) {
    Step changed = step(rank, index);
    for (Send& send : changed.sends) send.content = change(rank, send.content);
    return changed;
  };
  return made;
}

Schedule then(Schedule first, Schedule second) {
  Schedule both;
  both.ranks = first.ranks;
  both.parts = std::lcm(first.parts, second.parts);
  first = divided(first, both.parts);
  second = divided(second, both.parts);
  both.alike = first.alike + second.alike;
  both.alike_here = first.alike_here + second.alike_here;
  both.sends_alike = std::max(first.sends_alike, second.sends_alike);
  both.identical = first.identical || second.identical;
  both.steps = [one = first.steps, two = second.steps](int rank) { return one(rank) + two(rank); };
  both.step = [one = std::move(first), two = std::move(second)](int rank, int index) {
    const int before = one.steps(rank);
    return index < before ? one.step(rank, index) : two.step(rank, index - before);
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

Schedule by_columns(const Schedule& some, int ranks_per_node) {
  Schedule all = some;
  all.ranks = some.ranks * ranks_per_node;
  all.parts = some.parts * ranks_per_node;
  all.steps = [=](int own) { return some.steps(own / ranks_per_node); };
  all.step = [=](int own, int index) {
    const int column = own % ranks_per_node;
    Step step = some.step(own / ranks_per_node, index);
    for (Send& send : step.sends) {
      send.to = send.to * ranks_per_node + column;
      if (is_of_parts(send.content)) send.content.first += column * static_cast<int>(some.parts);
    }
    for (int& from : step.from) from = from * ranks_per_node + column;
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
  Schedule full = make(std::min(ranks, ranks_per_node));
  Schedule rest = last ? make(last) : full;
  const std::int64_t parts = std::lcm(full.parts, rest.parts);
  full = divided(full, parts);
  rest = divided(rest, parts);
  const int begin_of_rest = last ? ranks - last : ranks;
  Schedule all;
  all.ranks = ranks;
  all.parts = parts;
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
