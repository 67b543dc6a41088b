// This is the list of the windows that others may reach with this rank's help, by messages or by
// delegated work. A window is listed while it can be used. The code that carries out another rank's
// operation looks the window up here.
#pragma once

#include <cstdint>

#include "window/window.hpp"

namespace baton::window {

class Listeners {
 public:
  // Adds a window before it is used, and removes it when nobody uses it any more.
  void add(Window& window);
  void remove(Window& window);
  // Returns the window whose communicator has this context id; null: there is none.
  Window* find(std::uint32_t id);

 private:
  platform::Lock lock_;
  Window* first_ = nullptr;
};

}  // namespace baton::window
