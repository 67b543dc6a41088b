// This is the target's side: this rank's progress does what active messages of origins ask for. A
// handler never waits for a message; a lock that is not free is granted later, by a source of
// progress that polls for it.
#include "window/remote_target.hpp"

#include <cstdlib>
#include <new>
#include <utility>

#include "message/core/progress.hpp"
#include "message/core/wake.hpp"
#include "platform/memory_kind.hpp"
#include "window/accumulate.hpp"
#include "window/change.hpp"
#include "window/one_sided.hpp"
#include "window/synchronize.hpp"

namespace baton::window {

namespace {

// Returns whether all these bytes are memory that others may reach through the window.
bool is_own_memory(Window& window, std::uint64_t address, std::uint64_t bytes) {
  if (window.is_dynamic()) return is_usable(window, address, static_cast<std::int64_t>(bytes));
  const std::uint64_t offset = address - reinterpret_cast<std::uint64_t>(window.base);
  const auto size = static_cast<std::uint64_t>(window.size);
  return offset <= size && bytes <= size - offset;
}

void answer(const Incoming& incoming, std::int32_t error, std::uint32_t number = 0,
            const char* data = nullptr, std::size_t bytes = 0) {
  RemoteHeader header = incoming.header;
  header.ranges = 0;
  header.error = error;
  header.number = number;
  char packet[message::active_bytes_max];
  std::memcpy(packet, &header, sizeof header);
  if (bytes) std::memcpy(packet + sizeof header, data, bytes);
  (void)message::send_active(incoming.sender, message::ActiveKind::one_sided,
                             static_cast<std::int32_t>(RemoteKind::answer), packet,
                             sizeof header + bytes);
}

// Takes an answer, at the origin.
void take_answer(const RemoteHeader& header, const char* data, std::size_t bytes) {
  auto& expected = *reinterpret_cast<Expected*>(header.token);
  if (header.error) expected.error = header.error;
  expected.number = header.number;
  if (bytes && expected.into) std::memcpy(expected.into + header.position, data, bytes);
  if (bytes && expected.places) expected.places->fill(data);
  // ORDER window.answer: release here, acquire in await; the data is there.
  expected.answers.fetch_sub(1, std::memory_order_release);
  message::announce_completion();
}

void do_put(const Incoming& incoming) {
  const char* data = incoming.data;
  for (std::uint32_t i = 0; i < incoming.header.ranges; ++i) {
    RemoteRange range;
    std::memcpy(&range, incoming.ranges + i, sizeof range);
    if (is_own_memory(*incoming.window, range.address, range.bytes))
      platform::copy_anywhere(reinterpret_cast<void*>(range.address), data, range.bytes);
    else
      incoming.origin().refused = MPI_ERR_RMA_RANGE;
    data += range.bytes;
  }
}

void do_get(const Incoming& incoming) {
  char found[message::active_bytes_max];
  std::size_t bytes = 0;
  std::int32_t error = MPI_SUCCESS;
  for (std::uint32_t i = 0; i < incoming.header.ranges; ++i) {
    RemoteRange range;
    std::memcpy(&range, incoming.ranges + i, sizeof range);
    if (is_own_memory(*incoming.window, range.address, range.bytes))
      platform::copy_anywhere(found + bytes, reinterpret_cast<const void*>(range.address),
                              range.bytes);
    else
      error = MPI_ERR_RMA_RANGE;
    bytes += range.bytes;
  }
  answer(incoming, error, 0, found, error ? 0 : bytes);
}

void do_accumulate(const Incoming& incoming) {
  const RemoteHeader& header = incoming.header;
  char old[message::active_bytes_max];
  std::size_t bytes = 0;
  std::int32_t error = MPI_SUCCESS;
  for (std::uint32_t i = 0; i < header.ranges && !error; ++i) {
    RemoteRange range;
    std::memcpy(&range, incoming.ranges + i, sizeof range);
    error = !is_own_memory(*incoming.window, range.address, range.bytes)
                ? MPI_ERR_RMA_RANGE
                : change_own(*incoming.window, reinterpret_cast<char*>(range.address), header.type,
                             static_cast<std::int64_t>(range.bytes), header.operation,
                             incoming.data + bytes, header.token ? old + bytes : nullptr);
    bytes += range.bytes;
  }
  if (header.token)
    answer(incoming, error, 0, old, error ? 0 : bytes);
  else if (error)
    incoming.origin().refused = error;
}

void do_compare_and_swap(const Incoming& incoming) {
  const Datatype* type =
      datatype::datatypes.find(datatype::datatypes.from_int(incoming.header.type));
  RemoteRange range;
  std::memcpy(&range, incoming.ranges, sizeof range);
  range.bytes /= 2;  // two operands
  if (!type || !is_own_memory(*incoming.window, range.address, range.bytes))
    return answer(incoming, MPI_ERR_RMA_RANGE);
  char old[message::active_bytes_max];
  Window& window = *incoming.window;
  const Error error =
      swap_element(window, {&window.own(), reinterpret_cast<char*>(range.address), range.address},
                   *type, incoming.data, incoming.data + range.bytes, old);
  answer(incoming, error, 0, old, error ? 0 : range.bytes);
}

// Begins the transfer of data that comes or goes beside this message.
void do_run(const Incoming& incoming, RemoteKind kind) {
  Announcement announcement{incoming.header, {}, incoming.window, incoming.rank()};
  std::memcpy(&announcement.range, incoming.ranges, sizeof announcement.range);
  const RemoteRange& range = announcement.range;
  const bool refuse = !is_own_memory(*incoming.window, range.address, range.bytes);
  AcceptedTransfers& transfers = one_sided.accepted;
  if (kind == RemoteKind::get_run) return transfers.send_got(announcement, refuse);
  const Error error = kind == RemoteKind::put_run
                          ? transfers.receive_put(announcement, refuse)
                          : transfers.receive_accumulate(announcement, refuse);
  if (error) incoming.origin().refused = error;
}

// Answers a flush with the error that was refused since the origin last asked.
void do_flush(const Incoming& incoming) {
  answer(incoming, std::exchange(incoming.origin().refused, MPI_SUCCESS));
}

// Calls `end` for an end that an origin asks for, once none of its operations is on its way.
void at_end(const Incoming& incoming, void (*end)(const Incoming&)) {
  if (one_sided.accepted.is_idle(*incoming.window, incoming.rank())) return end(incoming);
  one_sided.accepted.await_idle(incoming, end);
}

void do_lock(const Incoming& incoming) {
  Window& window = *incoming.window;
  const bool exclusive = incoming.header.exclusive;
  const std::uint32_t number = take_number(window.row->lock);
  write_name(window.row->lock.takers, number, static_cast<std::uint32_t>(incoming.rank()),
             exclusive);
  if (try_turn(window, number, exclusive)) return answer(incoming, MPI_SUCCESS, number);
  name_waiter(window, number);
  auto* turn = new (std::nothrow) WaitingTurn{incoming, number, nullptr};
  BATON_INVARIANT(turn != nullptr);
  one_sided.waiting_turns.add(*turn);
}

void do_unlock(const Incoming& incoming) {
  give_own_turn(*incoming.window, incoming.header.number, incoming.header.exclusive);
  do_flush(incoming);
}

void do_post(const Incoming& incoming) {
  note_post(*incoming.window, incoming.rank());
}

void do_complete(const Incoming& incoming) {
  note_complete(*incoming.window, incoming.rank());
}

void arrive(const message::ActiveMessage& message) {
  Incoming incoming{};
  const char* payload = static_cast<const char*>(message.payload);
  std::memcpy(&incoming.header, payload, sizeof incoming.header);
  const auto kind = static_cast<RemoteKind>(message.word);
  if (kind == RemoteKind::answer)
    return take_answer(incoming.header, payload + sizeof incoming.header,
                       message.bytes - sizeof incoming.header);
  incoming.sender = message.sender;
  incoming.window = one_sided.listeners.find(incoming.header.window);
  // A rank has died while the window was made, or freed, so that this rank has none.
  if (!incoming.window) return incoming.header.token ? answer(incoming, MPI_ERR_WIN) : void();
  incoming.ranges = reinterpret_cast<const RemoteRange*>(payload + sizeof incoming.header);
  incoming.data = payload + sizeof incoming.header + incoming.header.ranges * sizeof(RemoteRange);
  switch (kind) {
    case RemoteKind::put:
      do_put(incoming);
      return incoming.header.token ? at_end(incoming, do_flush) : void();
    case RemoteKind::get:
      return do_get(incoming);
    case RemoteKind::accumulate:
      return do_accumulate(incoming);
    case RemoteKind::compare_and_swap:
      return do_compare_and_swap(incoming);
    case RemoteKind::put_run:
    case RemoteKind::get_run:
    case RemoteKind::accumulate_run:
      return do_run(incoming, kind);
    case RemoteKind::flush:
      return at_end(incoming, do_flush);
    case RemoteKind::lock:
      return do_lock(incoming);
    case RemoteKind::unlock:
      return at_end(incoming, do_unlock);
    case RemoteKind::post:
      return do_post(incoming);
    case RemoteKind::complete:
      return do_complete(incoming);
    case RemoteKind::answer:
      return;
  }
}

}  // namespace

bool WaitingTurn::advance() {
  // Whoever waited, and whoever held the lock, may have died, and the window be gone.
  if (one_sided.listeners.find(incoming.header.window) != incoming.window) {
    error = MPI_ERR_WIN;
    return true;
  }
  if (try_turn(*incoming.window, number, incoming.header.exclusive)) return true;
  error = message::broken(incoming.window->comm);
  return error != MPI_SUCCESS;
}

void WaitingTurn::finish() {
  answer(incoming, error, number);
  delete this;
}

void serve_messages() {
  message::handle_active(message::ActiveKind::one_sided, arrive);
}

}  // namespace baton::window
