#include "window/gather.hpp"

#include <new>

#include "window/transfer.hpp"

namespace baton::window {

Error GatheredPuts::send() {
  const Error error = message.send(target->process);
  reset();
  return error;
}

void GatheredPuts::take_for(const Target& whose, RemoteMessage* taken) {
  platform::Guard guard(lock);
  if (target != &whose) return;
  *taken = message;
  reset();
}

void GatheredPuts::reset() {
  message.reset();
  target = nullptr;
}

Error GatheredGets::send() {
  message.header().token = expected->token();
  const Error error = message.send(target->process);
  // Nobody will answer.
  // ORDER window.answer: release here, acquire in is_over; we use it no more.
  if (error) expected->answers.fetch_sub(1, std::memory_order_release);
  message.reset();
  target = nullptr;
  expected = nullptr;
  return error;
}

namespace {

// The window's, made when it is first wanted; null: no memory.
template <class Gathered>
Gathered* gathered_of(Window& window, Gathered*& gathered) {
  platform::Guard guard(window.memory_lock);
  RemoteHeader header;
  header.window = window.comm->id;
  if (!gathered) gathered = new (std::nothrow) Gathered(header);
  return gathered;
}

template <class Gathered>
Error send_for(Gathered* gathered, const Target* target) {
  if (!gathered) return MPI_SUCCESS;
  platform::Guard guard(gathered->lock);
  if (!gathered->target || (target && gathered->target != target)) return MPI_SUCCESS;
  return gathered->send();
}

// So much of an answer is still free.
std::uint64_t room_for_answer(const RemoteMessage& message) {
  return message::active_bytes_max - sizeof(RemoteHeader) - message.bytes_asked();
}

}  // namespace

bool gather_put(Window& window, const Spot& spot, const char* data, std::int64_t bytes,
                Error* error) {
  GatheredPuts* puts = gathered_of(window, window.puts);
  if (!puts) return false;
  platform::Guard guard(puts->lock);
  const auto size = static_cast<std::uint64_t>(bytes);
  if (puts->target && (puts->target != spot.target || puts->message.room() < size))
    *error = puts->send();
  puts->target = spot.target;
  puts->message.add(spot.address, data, size);
  spot.target->unflushed += bytes;
  return true;
}

bool gather_get(Window& window, const Spot& spot, char* to, std::int64_t bytes, Error* error) {
  GatheredGets* gets = gathered_of(window, window.gets);
  if (!gets) return false;
  platform::Guard guard(gets->lock);
  const auto size = static_cast<std::uint64_t>(bytes);
  const bool is_full = gets->message.room() == 0 || room_for_answer(gets->message) < size;
  if (gets->target && (gets->target != spot.target || is_full)) *error = gets->send();
  if (!gets->target) {
    // Its answer, of which one counts as still to come.
    gets->expected = expect_answer(window, window.rank_of(*spot.target), true);
    if (!gets->expected) return false;
    gets->target = spot.target;
  }
  gets->expected->places->add(to, size);
  gets->message.add(spot.address, nullptr, size);
  return true;
}

Error send_puts(Window& window, const Target* target) {
  return send_for(window.puts, target);
}

Error send_gets(Window& window, const Target* target) {
  return send_for(window.gets, target);
}

void forget_gathered(Window& window) {
  delete window.puts;
  delete window.gets;
}

}  // namespace baton::window
