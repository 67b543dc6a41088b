#include "window/listeners.hpp"

namespace baton::window {

void Listeners::add(Window& window) {
  platform::Guard guard(lock_);
  window.next_listening = first_;
  first_ = &window;
}

void Listeners::remove(Window& window) {
  platform::Guard guard(lock_);
  Window** link = &first_;
  while (*link && *link != &window) link = &(*link)->next_listening;
  if (*link) *link = window.next_listening;
}

Window* Listeners::find(std::uint32_t id) {
  platform::Guard guard(lock_);
  Window* window = first_;
  while (window && window->comm->id != id) window = window->next_listening;
  return window;
}

}  // namespace baton::window
