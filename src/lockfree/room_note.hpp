// The notes that lines of rooms carry (room.hpp), by which readers verify that they and a line's
// writer mean the same call.
#pragma once

#include <cstdint>

#include "lockfree/room_sequence.hpp"

namespace baton::lockfree {

// A published line also carries a note, with which readers verify that they and its writer mean the
// same call. For a payload in the line itself the note is its length plus 1.
namespace room_note {
inline constexpr std::uint64_t nothing = 0;
inline constexpr std::uint64_t copies = 254;  // the payload begins with the length of what a rank
                                              // copies from the writer's memory
inline constexpr std::uint64_t block = 255;   // with the length of what lies in the block
constexpr std::uint64_t line(std::int64_t bytes) {
  return static_cast<std::uint64_t>(bytes) + 1;
}
static_assert(line(room_line_payload_bytes) < copies);
}  // namespace room_note

}  // namespace baton::lockfree
