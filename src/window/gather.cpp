#include "window/gather.hpp"

#include <new>

#include "window/one_sided.hpp"

namespace baton::window {

Error GatheredPuts::send() {
  const Error error = message.send(target->process);
  message.reset();
  target = nullptr;
  return error;
}

Error GatheredGets::send() {
  message.header().token = expected->token();
  expected->answers.fetch_add(1, std::memory_order_relaxed);  // relaxed: not sent yet
  const Error error = message.send(target->process);
  // Nobody answers a message that was not sent.
  // ORDER window.answer: release here, acquire in is_over; we use it no more.
  expected->answers.fetch_sub(Expected::asking + (error ? 1 : 0), std::memory_order_release);
  message.reset();
  target = nullptr;
  expected = nullptr;
  return error;
}

namespace {

// Returns the gathered operations, which another thread may be making now; null: nobody has needed
// them yet.
template <class Gathered>
Gathered* made(Gathered* const& gathered) {
  // ORDER window.gathered: acquire here, release in gathered_of; it is whole.
  return std::atomic_ref(const_cast<Gathered*&>(gathered)).load(std::memory_order_acquire);
}

// Returns the window's gathered operations, which are made when first needed; null: no memory.
template <class Gathered>
Gathered* gathered_of(Window& window, Gathered*& gathered) {
  if (Gathered* before = made(gathered)) return before;
  platform::Guard guard(window.memory_lock);
  RemoteHeader header;
  header.window = window.comm->id;
  if (!gathered)
    // ORDER window.gathered: release here, acquire in made.
    std::atomic_ref(gathered).store(new (std::nothrow) Gathered(header), std::memory_order_release);
  return gathered;
}

template <class Gathered>
Error send_for(Gathered* gathered, const Target* target) {
  if (!gathered) return MPI_SUCCESS;
  platform::Guard guard(gathered->lock);
  if (!gathered->target || (target && gathered->target != target)) return MPI_SUCCESS;
  return gathered->send();
}

// Returns how many bytes of the answer's message are still free.
std::uint64_t space_for_answer(const RemoteMessage& message) {
  return message::active_bytes_max - sizeof(RemoteHeader) - message.bytes_asked();
}

}  // namespace

bool gather_put(Window& window, const Spot& spot, const char* data, std::int64_t bytes,
                Error* error) {
  GatheredPuts* puts = gathered_of(window, window.puts);
  if (!puts) return false;
  platform::Guard guard(puts->lock);
  const auto size = static_cast<std::uint64_t>(bytes);
  if (puts->target && (puts->target != spot.target || puts->message.space() < size))
    *error = puts->send();
  puts->target = spot.target;
  puts->message.add(spot.address, data, size);
  platform::add_shared(spot.target->unflushed, bytes);
  return true;
}

bool gather_get(Window& window, const Spot& spot, char* to, std::int64_t bytes, Error* error) {
  GatheredGets* gets = gathered_of(window, window.gets);
  if (!gets) return false;
  platform::Guard guard(gets->lock);
  const auto size = static_cast<std::uint64_t>(bytes);
  const bool is_full = gets->message.space() == 0 || space_for_answer(gets->message) < size;
  if (gets->target && (gets->target != spot.target || is_full)) *error = gets->send();
  if (!gets->target) {
    // This answer counts as outstanding until the gets are sent.
    gets->expected = one_sided.begun.expect_answer(window, window.rank_of(*spot.target), true);
    if (!gets->expected) return false;
    gets->target = spot.target;
  }
  gets->expected->places->add(to, size);
  gets->message.add(spot.address, nullptr, size);
  return true;
}

Error send_behind_puts(Window& window, const Target& target, RemoteMessage& message) {
  GatheredPuts* puts = made(window.puts);
  if (!puts) return message.send(target.process);
  // If there are no puts here, they are ahead on the way: they are sent under the lock.
  platform::Guard guard(puts->lock);
  if (puts->target != &target) return message.send(target.process);
  if (message.kind() != RemoteKind::flush) {
    const Error failed = puts->send();
    const Error error = message.send(target.process);
    return failed ? failed : error;
  }
  puts->message.header().token = message.header().token;
  const Error error = puts->send();
  puts->message.header().token = 0;
  return error;
}

Error send_gets(Window& window, const Target* target) {
  return send_for(made(window.gets), target);
}

void forget_gathered(Window& window) {
  delete window.puts;
  delete window.gets;
}

}  // namespace baton::window
