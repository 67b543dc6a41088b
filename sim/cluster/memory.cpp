#include "sim/cluster/memory.hpp"

#include <algorithm>

#include "lockfree/job.hpp"
#include "message/node/node_peer.hpp"

namespace baton::cluster {

namespace {

// Assumptions: what a network link may take, as others do (a guess each).
constexpr std::int64_t address_bytes = 64;        // of another process: name, and where it is
constexpr std::int64_t network_peer_bytes = 256;  // of the provider, for each contact
constexpr std::int64_t receive_buffers_bytes = 1 << 20;  // posted once, for whoever sends

std::int64_t pages(std::uint64_t bytes) {
  return static_cast<std::int64_t>(round_up(bytes, page_bytes));
}

}  // namespace

std::vector<MemoryPart> memory_of_rank(int ranks, int ranks_per_node, int near, int far) {
  using namespace lockfree;
  const int on_node = std::min(ranks, ranks_per_node);
  const int contacts = std::min(near, on_node - 1);
  const int others = std::min(far, ranks - on_node);
  const JobHeader header =
      job_header(static_cast<std::uint32_t>(on_node), static_cast<std::uint32_t>(on_node));
  const auto layout = slice_layout(static_cast<std::uint32_t>(on_node));
  const std::int64_t own_rings = std::min(contacts, header.rings.own_max);
  return {
      {"row of the status board", static_cast<std::int64_t>(sizeof(RankRow) + sizeof(MemoryRow)),
       false},
      {"mailbox", static_cast<std::int64_t>(header.mailbox_bytes), false},
      {"rings of contacts on the node",
       own_rings * static_cast<std::int64_t>(ring_bytes) +
           (own_rings ? pages(static_cast<std::uint64_t>(on_node) * consumer_bytes) : 0),
       false},
      {"receive advertisements of these", own_rings * pages(adverts_per_pair * advert_bytes),
       false},
      {"staging", static_cast<std::int64_t>(layout.record - layout.progress), false, true},
      {"state of contacts",
       (contacts + others) * static_cast<std::int64_t>(sizeof(message::NodePeer)), false},
      // Once a node, for all its ranks.
      {"addresses of all processes", std::int64_t{ranks} * address_bytes / on_node, true},
      {"network's state of contacts", others * network_peer_bytes, true},
      {"network's receive buffers", ranks > on_node ? receive_buffers_bytes : 0, true},
  };
}

}  // namespace baton::cluster
