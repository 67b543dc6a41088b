// Finds out whether an address that could not be read lies in a reservation such as drivers of
// devices make: large, of no file, and with no permission at all. A signal handler may call it.
#pragma once

#include <cstddef>

namespace baton::platform {

// Returns the size of the reservation that an address lies in; 0: it is in none that looks like
// device memory.
std::size_t unreadable_reservation(const void* address);

}  // namespace baton::platform
