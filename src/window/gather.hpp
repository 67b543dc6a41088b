// Gathering works so: short contiguous puts and gets between nodes wait for others to the same
// target, and travel in one message with them. The message leaves at a flush or the end of an
// epoch, at an operation for another target, or when it is full. This is used by remote.cpp.
#pragma once

#include "window/place.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

// These are the gathered puts, in a message that may also carry the flush that follows them.
struct GatheredPuts {
  explicit GatheredPuts(const RemoteHeader& header) : message(RemoteKind::put, header) {}
  platform::Lock lock;
  Target* target = nullptr;  // null: none are gathered
  RemoteMessage message;

  // Sends the message. The caller holds `lock`.
  Error send();
};

// These are the gathered gets, whose data comes in a single answer.
struct GatheredGets {
  explicit GatheredGets(const RemoteHeader& header) : message(RemoteKind::get, header) {}
  platform::Lock lock;
  Target* target = nullptr;      // null: none are gathered
  Expected* expected = nullptr;  // the answer
  RemoteMessage message;

  // Sends the message. The caller holds `lock`.
  Error send();
};

// Gathers a put. Returns false, with nothing done, if there is no memory for it.
bool gather_put(Window& window, const Spot& spot, const char* data, std::int64_t bytes,
                Error* error);
bool gather_get(Window& window, const Spot& spot, char* to, std::int64_t bytes, Error* error);
// Sends a flush, or the end of an epoch, to the target, with the puts gathered for it, if any: the
// message then becomes a put, which asks for the same answer. When this returns, all puts that any
// thread gathered before have left.
Error send_behind_puts(Window& window, const Target& target, RemoteMessage& message);
// Sends the gets gathered for the target, or (null) for any target.
Error send_gets(Window& window, const Target* target);
void forget_gathered(Window& window);

}  // namespace baton::window
