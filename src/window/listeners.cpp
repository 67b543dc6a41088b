#include "window/listeners.hpp"

namespace baton::window {

namespace {

platform::Lock listeners_lock;
Window* listeners = nullptr;

}  // namespace

void add_listener(Window& window) {
  platform::Guard guard(listeners_lock);
  window.next_listening = listeners;
  listeners = &window;
}

void remove_listener(Window& window) {
  platform::Guard guard(listeners_lock);
  Window** link = &listeners;
  while (*link && *link != &window) link = &(*link)->next_listening;
  if (*link) *link = window.next_listening;
}

Window* find_window(std::uint32_t id) {
  platform::Guard guard(listeners_lock);
  Window* window = listeners;
  while (window && window->comm->id != id) window = window->next_listening;
  return window;
}

}  // namespace baton::window
