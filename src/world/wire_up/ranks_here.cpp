#include "world/wire_up/ranks_here.hpp"

#include <algorithm>

#include "world/wire_up/pmi_message.hpp"

namespace baton::world {

namespace {

struct Block {
  int first_node, nodes, ranks_each;
};

// Takes "NUMBER" and the character `behind` it from the front.
bool take_number(std::string_view* text, char behind, int* number) {
  const std::size_t end = text->find(behind);
  if (end == std::string_view::npos || !whole_number(text->substr(0, end), number) || *number < 0)
    return false;
  text->remove_prefix(end + 1);
  return true;
}

// Takes ",(a,b,c)" from the front.
bool take_block(std::string_view* text, Block* block) {
  if (!text->starts_with(",(")) return false;
  text->remove_prefix(2);
  return take_number(text, ',', &block->first_node) && take_number(text, ',', &block->nodes) &&
         take_number(text, ')', &block->ranks_each);
}

// Calls each(first rank, ranks, node) for each node of each block until all ranks have a node.
// Returns false when the text ends otherwise than it should, or would go on for ever.
template <class Each>
bool walk_mapping(std::string_view blocks, int size, Each each) {
  int rank = 0;
  while (rank < size) {
    std::string_view rest = blocks;
    const int before = rank;
    while (rest != ")") {
      Block block;
      if (!take_block(&rest, &block)) return false;
      if (block.ranks_each == 0) continue;
      for (int i = 0; i < block.nodes && rank < size; ++i) {
        const int ranks = std::min(block.ranks_each, size - rank);
        each(rank, ranks, static_cast<long long>(block.first_node) + i);
        rank += ranks;
      }
    }
    if (rank == before) return false;
  }
  return true;
}

}  // namespace

int ranks_of_mapping(std::string_view mapping, int rank, int size, int* here) {
  constexpr std::string_view start = "(vector";
  if (!mapping.starts_with(start)) return 0;
  mapping.remove_prefix(start.size());
  long long own_node = -1;
  const bool sound = walk_mapping(mapping, size, [&](int first, int ranks, long long node) {
    if (rank >= first && rank < first + ranks) own_node = node;
  });
  if (!sound || own_node < 0) return 0;
  int count = 0;
  walk_mapping(mapping, size, [&](int first, int ranks, long long node) {
    for (int i = 0; i < ranks && node == own_node; ++i) here[count++] = first + i;
  });
  return count;
}

int ranks_of_list(std::string_view list, int rank, int size, int* here) {
  int count = 0;
  bool has_own = false;
  while (!list.empty()) {
    const std::string_view item = list.substr(0, list.find(','));
    list.remove_prefix(item.size() < list.size() ? item.size() + 1 : list.size());
    const std::size_t dash = item.find('-');
    int first, last;
    if (!whole_number(item.substr(0, dash), &first)) return 0;
    last = first;
    if (dash != std::string_view::npos && !whole_number(item.substr(dash + 1), &last)) return 0;
    if (first < 0 || last < first || last >= size || last - first >= size - count) return 0;
    has_own |= rank >= first && rank <= last;
    for (int i = first; i <= last; ++i) here[count++] = i;
  }
  std::sort(here, here + count);
  const bool distinct = std::adjacent_find(here, here + count) == here + count;
  return has_own && distinct ? count : 0;
}

}  // namespace baton::world
