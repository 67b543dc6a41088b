#include "platform/peer_pause.hpp"

namespace baton::platform {

void PeerPause::give_way() {
  constexpr std::uint32_t yields = 2000;  // guess: some milliseconds
  if (times_ / 64 < yields) return yield_cpu();
  times_ = yields * 64;
  sleep_us(200);  // guess
}

}  // namespace baton::platform
