#include "message/partitioned/units.hpp"

#include <algorithm>

namespace baton::message::partitioned {

namespace {

// Guesses, but for staged_bytes_min (docs/decisions/partitioned.md).
constexpr std::int64_t piece_bytes = 256 << 10;       // both sides share a long partition by these
constexpr std::int64_t pieces_max = 8192;             // of one message
constexpr std::int64_t board_units_max = 1024;        // of partitions that are grouped
constexpr std::int64_t message_bytes_min = 16 << 10;  // together, where each unit is a message
constexpr std::int64_t staged_bytes_min = 256;        // together, through staging,
constexpr std::int64_t staged_bytes_many = 1024;      // or these, where the message has
constexpr std::int64_t staged_units_many = 32;        // as many units all the same
constexpr std::int64_t mapped_staged_max = 512;       // longer ones are copied once where that
                                                      // needs no system call

std::int64_t divide_up(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

}  // namespace

Units::Units(std::int32_t partitions, std::int64_t partition_bytes, Way way)
    : partitions_(partitions), partition_bytes_(partition_bytes), unit_bytes_(partition_bytes) {
  if (partitions == 0) return;
  const bool board = way == Way::staged || way == Way::direct;
  std::int64_t together = divide_up(partitions, board ? board_units_max : message_units_max);
  if (!board && partition_bytes > 0)
    together = std::max(together, divide_up(message_bytes_min, partition_bytes));
  if (way == Way::staged && partition_bytes > 0)
    together = std::max({together, staged_bytes_min / partition_bytes,
                         std::min(staged_bytes_many / partition_bytes,
                                  partitions / staged_units_many)});
  if (partition_bytes == 0) together = partitions;
  const std::int64_t piece =
      std::max(piece_bytes, divide_up(divide_up(total_bytes(), pieces_max), 4096) * 4096);
  if (board && together == 1 && partition_bytes > piece) {
    units_each_ = static_cast<std::uint32_t>(divide_up(partition_bytes, piece));
    unit_bytes_ = piece;
    count_ = static_cast<std::uint32_t>(partitions) * units_each_;
    return;
  }
  together = std::min<std::int64_t>(together, partitions);
  partitions_each_ = static_cast<std::int32_t>(together);
  unit_bytes_ = together * partition_bytes;
  count_ = static_cast<std::uint32_t>(divide_up(partitions, together));
}

std::int64_t Units::end(std::uint32_t unit) const {
  if (units_each_ == 1) return std::min(begin(unit) + unit_bytes_, total_bytes());
  return std::min(begin(unit) + unit_bytes_, (unit / units_each_ + 1) * partition_bytes_);
}

std::int32_t Units::partitions_of(std::uint32_t unit) const {
  return std::min(partitions_each_, partitions_ - first_partition(unit));
}

std::uint32_t Units::unit_of(std::int64_t byte) const {
  if (unit_bytes_ == 0) return 0;
  if (units_each_ == 1) return static_cast<std::uint32_t>(byte / unit_bytes_);
  return static_cast<std::uint32_t>(byte / partition_bytes_ * units_each_ +
                                    byte % partition_bytes_ / unit_bytes_);
}

Way choose_way(const Facts& facts) {
  if (!facts.board || facts.foreign) return Way::messages;
  const bool direct = facts.runs && facts.reached;
  if (facts.partitions * facts.partition_bytes > facts.staging_bytes_max)
    return direct ? Way::direct : Way::messages;
  const std::int64_t longest =
      std::min(facts.staged_bytes_max, facts.mapped ? mapped_staged_max : facts.staged_bytes_max);
  return direct && facts.partition_bytes > longest ? Way::direct : Way::staged;
}

}  // namespace baton::message::partitioned
