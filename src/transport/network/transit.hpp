// Counts of what goes between this process and a peer, and their values when this process last
// checked for lost packets (message/network/lost_in_transit).
#pragma once

#include <cstdint>

namespace baton::transport::network {

struct Transit {
  std::uint32_t writes_begun = 0, writes_out = 0;  // out: they have left
  std::uint32_t writes_in = 0;
  std::uint32_t writes_told = 0;  // the peer says that so many have left there
  std::uint32_t questions = 0;    // and answers that came
  std::uint32_t packets_seen = 0, writes_in_seen = 0, writes_out_seen = 0, questions_seen = 0;
  std::int64_t seconds_silent = 0;   // of our waiting without a packet of the peer
  std::int64_t seconds_lacking = 0;  // of our waiting while something is missing
};

}  // namespace baton::transport::network
