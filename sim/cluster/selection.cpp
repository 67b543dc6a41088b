#include "sim/cluster/selection.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace baton::cluster {

namespace {

collective::Situation situation_of(CollectiveKind kind, int ranks, int ranks_per_node,
                                   std::int64_t bytes) {
  collective::Situation situation{kind, ranks};
  situation.bytes = bytes;
  situation.several_nodes = ranks > ranks_per_node;
  if (ranks_per_node > 1 && situation.several_nodes) {
    situation.grouping = collective::Grouping::in_order;
    situation.shared_nodes = true;
  }
  situation.regular_nodes = situation.several_nodes && ranks % ranks_per_node == 0;
  situation.room_bytes_max = 65536;  // the setting's default
  return situation;
}

}  // namespace

Chosen chosen_by_library(CollectiveKind kind, int ranks, int ranks_per_node, std::int64_t bytes) {
  const auto choice =
      collective::choose(situation_of(kind, ranks, ranks_per_node, bytes), default_selection());
  return {row_of(choice.algorithm).name, choice_rows[static_cast<int>(choice.reason)].words};
}

std::string unequal_nodes(const Known& known, int ranks, int ranks_per_node) {
  const auto algorithm = library_algorithm(known.name);
  if (!algorithm) return {};
  const auto why =
      collective::obstacle(*algorithm, situation_of(known.kind, ranks, ranks_per_node, 0));
  if (why != ChoiceReason::irregular_nodes) return {};
  return choice_rows[static_cast<int>(*why)].words;
}

std::optional<std::int64_t> next_size(CollectiveKind kind, int ranks, int ranks_per_node,
                                      std::int64_t bytes) {
  const std::int64_t next = collective::next_boundary(
      situation_of(kind, ranks, ranks_per_node, bytes), default_selection());
  return next == no_end ? std::nullopt : std::optional(next);
}

CollectiveKind kind_of(const std::string& name) {
  for (int i = 0; i < collective_kind_count; ++i)
    if (name == collective_kind_names[i]) return static_cast<CollectiveKind>(i);
  throw std::runtime_error(fmt::format("there is no operation \"{}\"", name));
}

}  // namespace baton::cluster
