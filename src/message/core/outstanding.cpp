#include "message/core/outstanding.hpp"

#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

void publish_outstanding() {
  platform::Guard guard(engine.channel_lock);
  lockfree::ChannelClass size;
  do {
    size = lockfree::channel_class(platform::load_shared(engine.outstanding_bytes));
    // relaxed: the fence orders it before the sum is read again.
    std::atomic_ref(engine.outstanding).store(size, std::memory_order_relaxed);
    lockfree::publish_channel(transport::status_row(engine.local_rank).channel, size);
    if (BATON_LIKELY(!platform::threads_multiple)) return;
    lockfree::Hardware::full_fence();
  } while (size != lockfree::channel_class(platform::load_shared(engine.outstanding_bytes)));
}

lockfree::ChannelClass channel_of(Process process) {
  return protocol_of(process).channel_of(process);
}

void tell_channel(Process process) {
  protocol_of(process).tell_channel(process);
}

}  // namespace baton::message
