// How a window goes. Freeing it (window.hpp) meets the others first.
#pragma once

namespace baton::window {

class Window;

// Gives back all that a window has, which no other rank uses any more.
void dispose(Window& window);

}  // namespace baton::window
