#include "message/network/take_back.hpp"

#include "message/core/active.hpp"

namespace baton::message {

void tell(Process process, const TakeBackLine& line) {
  (void)send_active(process, ActiveKind::network_cancel, 0, &line, sizeof line);
}

}  // namespace baton::message
