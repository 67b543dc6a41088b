// The units of a partitioned message: the pieces in which its data goes, counted in packed bytes.
// Small partitions go several together, long ones in several units. Both sides compute them alike.
// Pure; used by the code of both sides beside it.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"

namespace baton::message::partitioned {

// How the data goes. The receiver decides, when the two sides have met.
enum class Way : std::uint32_t {
  nothing,   // there is nobody to send to, or the receive cannot take it
  staged,    // through memory that both sides map
  direct,    // from buffer to buffer, by either side
  messages,  // each unit is a message
};

// The sender's partitions and the units that they make.
class Units {
 public:
  Units() = default;
  Units(std::int32_t partitions, std::int64_t partition_bytes, Way way);

  std::uint32_t count() const { return count_; }
  std::int64_t unit_bytes() const { return unit_bytes_; }  // of the longest
  std::int64_t total_bytes() const { return partitions_ * partition_bytes_; }

  // Where a unit's data begins and ends.
  std::int64_t begin(std::uint32_t unit) const {
    if (units_each_ == 1) return unit * unit_bytes_;
    return unit / units_each_ * partition_bytes_ + unit % units_each_ * unit_bytes_;
  }
  std::int64_t end(std::uint32_t unit) const;
  std::int64_t bytes(std::uint32_t unit) const {
    if (BATON_LIKELY(partitions_each_ == 1 && units_each_ == 1)) return unit_bytes_;
    return end(unit) - begin(unit);
  }

  // The partitions of a unit, where each has at least one.
  std::int32_t partitions_each() const { return partitions_each_; }
  std::int32_t first_partition(std::uint32_t unit) const {
    return static_cast<std::int32_t>(unit) * partitions_each_;
  }
  std::int32_t partitions_of(std::uint32_t unit) const;
  // The units of a partition, where each has at least one.
  std::uint32_t units_each() const { return units_each_; }
  std::uint32_t first_unit(std::int32_t partition) const {
    const auto number = static_cast<std::uint32_t>(partition);
    return partitions_each_ == 1 ? number * units_each_
                                 : number / static_cast<std::uint32_t>(partitions_each_);
  }
  // The unit that has a byte.
  std::uint32_t unit_of(std::int64_t byte) const;

 private:
  std::int32_t partitions_ = 0;
  std::int32_t partitions_each_ = 1;
  std::uint32_t units_each_ = 1;
  std::uint32_t count_ = 0;
  std::int64_t partition_bytes_ = 0;
  std::int64_t unit_bytes_ = 0;
};

// The choice of a way depends on these. The limits come from the settings.
struct Facts {
  std::int32_t partitions = 0;
  std::int64_t partition_bytes = 0;
  bool board = false;                  // both sides can map memory of the receiver
  bool runs = false;                   // the data is one run of host memory on both sides
  bool foreign = false;                // or some of it is memory that the processor must not touch
  bool mapped = false;                 // the sender, or the receiver, maps the other's buffer
  bool reached = false;                // or reaches it, at least through the kernel
  std::int64_t staged_bytes_max = 0;   // of a partition, where it could be copied by the kernel
  std::int64_t staging_bytes_max = 0;  // of a message
};
Way choose_way(const Facts& facts);

// Bytes of staging that a unit takes, with its state in front.
inline std::int64_t slot_bytes(const Units& units, Way way) {
  const std::int64_t data = way == Way::staged ? units.unit_bytes() : 0;
  return (8 + data + 63) / 64 * 64;
}

// The most units that go as messages: their tags have so much space.
inline constexpr std::int32_t message_units_max = 256;

}  // namespace baton::message::partitioned
