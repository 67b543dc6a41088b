#include "base/event.hpp"

namespace baton {

constinit std::atomic<std::uint32_t> told_events = 0;
constinit std::atomic<EventListener> event_listener = nullptr;

void tell(Event event, EventPlace place, std::uint64_t object,
          std::initializer_list<std::int64_t> values) {
  // ORDER event.listener: acquire here, release in tool/; its registrations.
  if (EventListener listener = event_listener.load(std::memory_order_acquire))
    listener(event, place, object, values);
}

}  // namespace baton
