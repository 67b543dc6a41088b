// The messages by which processes take something back: a send, or an advert. Used by cancel.cpp
// and advert.cpp.
#pragma once

#include <cstdint>

#include "base/identity.hpp"

namespace baton::message {

enum class TakeBack : std::uint32_t {
  send,        // to the receiver of a send: give it back
  send_given,  // its answer, if it does
  advert,      // to the sender for which a receive was advertised: use that no more
  advert_given,
  advert_refused,  // to its receiver, unasked
};

struct TakeBackLine {
  TakeBack what;
  std::uint32_t number;   // of the send, or of the advert
  std::uint32_t context;  // of a send
  std::int32_t source;
  ProcessId receiver;  // of an advert
};

void tell(Process process, const TakeBackLine& line);

}  // namespace baton::message
