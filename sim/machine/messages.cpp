#include "sim/machine/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace baton::model {

namespace {

std::vector<int> hosts_of(const Description& description, const std::vector<int>& ranks) {
  std::vector<int> hosts;
  for (std::size_t host = 0; host < ranks.size(); ++host)
    hosts.insert(hosts.end(), static_cast<std::size_t>(std::max(ranks[host], 0)),
                 static_cast<int>(host));
  if (hosts.empty() || static_cast<int>(ranks.size()) > description.hosts())
    throw std::runtime_error(
        fmt::format("ranks on {} hosts; the machine has {}", ranks.size(), description.hosts()));
  return hosts;
}

void check(const Message& message, int ranks) {
  for (int rank : {message.from, message.to})
    if (rank < 0 || rank >= ranks)
      throw std::runtime_error(fmt::format("rank {} of {} has a message", rank, ranks));
  if (message.from == message.to) throw std::runtime_error("a rank sends itself no message");
  if (!(message.bytes >= 0)) throw std::runtime_error("a message's bytes are not negative");
}

}  // namespace

Case case_of_messages(const Description& description, const std::string& name,
                      const std::vector<int>& ranks, const std::vector<Message>& messages) {
  const Parameters& known = description.parameters();
  const auto hosts = hosts_of(description, ranks);
  const int count = static_cast<int>(hosts.size());
  double rank_most = known["message.bandwidth"];
  if (description.hosts() > 1) rank_most = std::max(rank_most, known["network.bandwidth"]);
  Case made{name, {}, {}};
  auto add = [&](const char* what, int number, double gigabytes) {
    for (const char* way : {"out", "in"})
      made.resources.push_back(
          {fmt::format("{} {} {}", what, number, way), gigabytes * bytes_in_gigabyte});
  };
  for (int rank = 0; rank < count; ++rank) add("rank", rank, rank_most);
  const bool limited = known.has("network.host_bandwidth");
  for (int host = 0; limited && host < description.hosts(); ++host)
    add("host", host, known["network.host_bandwidth"]);
  for (const Message& message : messages) {
    check(message, count);
    const int from = hosts[static_cast<std::size_t>(message.from)];
    const int to = hosts[static_cast<std::size_t>(message.to)];
    const std::string kind = from == to ? "message" : "network";
    Flow flow{"message",
              1,
              {{2 * message.from, 1}, {2 * message.to + 1, 1}},
              known[kind + ".bandwidth"] * bytes_in_gigabyte};
    if (limited && from != to) {
      flow.uses.push_back({2 * (count + from), 1});
      flow.uses.push_back({2 * (count + to) + 1, 1});
    }
    made.ranks.push_back(
        {{flow}, message.bytes, Order::at_once, known[kind + ".latency"] * seconds_in_nanosecond});
  }
  return made;
}

}  // namespace baton::model
