// Short contiguous puts and gets between nodes wait for others to the same target, to go in one
// message with them: until a flush or the end of an epoch, another target, or a full message. Used
// by remote.cpp.
#pragma once

#include "window/place.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

// Puts, in a message which may take along the flush that follows them.
struct GatheredPuts {
  explicit GatheredPuts(const RemoteHeader& header) : message(RemoteKind::put, header) {}
  platform::Lock lock;
  Target* target = nullptr;  // null: none
  RemoteMessage message;

  // Under the lock.
  Error send();
};

// Gets, whose one answer brings all their data.
struct GatheredGets {
  explicit GatheredGets(const RemoteHeader& header) : message(RemoteKind::get, header) {}
  platform::Lock lock;
  Target* target = nullptr;      // null: none
  Expected* expected = nullptr;  // the answer
  RemoteMessage message;

  // Under the lock.
  Error send();
};

// False: there is no memory for it, and nothing was done.
bool gather_put(Window& window, const Spot& spot, const char* data, std::int64_t bytes,
                Error* error);
bool gather_get(Window& window, const Spot& spot, char* to, std::int64_t bytes, Error* error);
// Sends a flush, or the end of an epoch, to the target, with the puts gathered for it, if any: the
// message is a put then, which asks for the same answer. All puts of all threads that were gathered
// before have left when it returns.
Error send_behind_puts(Window& window, const Target& target, RemoteMessage& message);
// Sends the gets gathered for the target, or (null) for whomever.
Error send_gets(Window& window, const Target* target);
void forget_gathered(Window& window);

}  // namespace baton::window
