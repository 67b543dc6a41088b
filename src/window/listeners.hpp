// The windows that others may reach with this rank's help, by messages or by delegated work. Each
// is listed while it can be used. Asked by whoever carries out what another rank wants.
#pragma once

#include <cstdint>

#include "window/window.hpp"

namespace baton::window {

// Before a window is used; and when nobody uses it any more.
void add_listener(Window& window);
void remove_listener(Window& window);
// The window with this context id; null: there is none.
Window* find_window(std::uint32_t id);

}  // namespace baton::window
