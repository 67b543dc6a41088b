#include "sim/bus/case.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace baton::bus {

std::string complaint(const Case& given) {
  auto count = static_cast<std::size_t>(given.nodes);
  if (given.nodes < 2 || given.nodes > nodes_max)
    return fmt::format("{} nodes; there are 2 to {}", given.nodes, nodes_max);
  if (given.roots.empty()) return "no root; name one at least";
  for (int root : given.roots) {
    if (root < 0 || root >= given.nodes)
      return fmt::format("root {} is none of {} nodes; give 0 to {}", root, given.nodes,
                         given.nodes - 1);
    if (std::ranges::count(given.roots, root) > 1)
      return fmt::format("root {} is named twice; name it once", root);
  }
  if (given.blocks.size() != count)
    return fmt::format("{} block sizes for {} nodes; give one a node", given.blocks.size(), count);
  Bytes rest = bytes_most / given.roots.size();
  for (Bytes block : given.blocks) {
    if (block > rest) return "the blocks are more than 2^56 bytes together; give smaller ones";
    rest -= block;
  }
  if (given.channels.size() != count)
    return fmt::format("{} channels for {} nodes; give one a node", given.channels.size(), count);
  if (!given.flaws.empty() && given.flaws.size() != count)
    return fmt::format("{} status flaws for {} nodes; give none or one a node", given.flaws.size(),
                       count);
  for (const Channel& channel : given.channels)
    if (channel.peer >= given.nodes)
      return fmt::format("peer {} is none of {} nodes; give -1 for none, or 0 to {}", channel.peer,
                         given.nodes, given.nodes - 1);
  return {};
}

}  // namespace baton::bus
