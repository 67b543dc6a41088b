#include "message/network/rendezvous_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/account.hpp"
#include "message/core/loss.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"

namespace baton::message {

using transport::network::network;

namespace {

RendezvousTable& table() {
  return messages_over_network().rendezvous_table;
}

std::uint32_t place_of(std::uint32_t number) {
  return number & RendezvousTable::places_max;
}

// Takes the lowest free place; false: there is none, or no memory. Under the lock.
bool take_place(std::uint32_t* place) {
  std::uint32_t lowest = table().lowest;
  while (lowest < table().size && table().all[lowest]) ++lowest;
  if (lowest == RendezvousTable::places_max) return false;
  if (lowest == table().size) {
    const std::uint32_t size = std::max(64u, 2 * table().size);
    void* grown = std::realloc(table().all, size * sizeof(Rendezvous*));
    if (!grown) return false;
    table().all = static_cast<Rendezvous**>(grown);
    std::fill(table().all + table().size, table().all + size, nullptr);
    table().size = size;
  }
  table().lowest = lowest + 1;
  *place = lowest;
  return true;
}

}  // namespace

Rendezvous* open_rendezvous(RemotePeer& peer, Request& request, bool outgoing) {
  auto* made = new (std::nothrow) Rendezvous;
  if (!made) return nullptr;
  platform::Guard guard(table().lock);
  std::uint32_t place;
  if (!take_place(&place)) {
    delete made;
    return nullptr;
  }
  table().all[place] = made;
  made->request = &request;
  made->peer = &peer;
  made->number = table().opened++ << RendezvousTable::place_bits | place;
  made->outgoing = outgoing;
  if (request.is_run) made->data = static_cast<char*>(request.buffer);
  return made;
}

Rendezvous* rendezvous_at(std::uint32_t place) {
  platform::Guard guard(table().lock);
  return table().all[place];
}

Rendezvous* find_rendezvous(std::uint32_t number, bool outgoing) {
  const std::uint32_t place = place_of(number);
  platform::Guard guard(table().lock);
  Rendezvous* found = place < table().size ? table().all[place] : nullptr;
  return found && found->number == number && found->outgoing == outgoing ? found : nullptr;
}

std::uint32_t rendezvous_places() {
  return platform::load_shared(table().size);
}

void close_rendezvous(Rendezvous& rendezvous) {
  {
    platform::Guard guard(table().lock);
    const std::uint32_t place = place_of(rendezvous.number);
    table().all[place] = nullptr;
    table().lowest = std::min(table().lowest, place);
    for (Rendezvous** link = &table().writing; *link; link = &(*link)->following)
      if (*link == &rendezvous) {
        *link = rendezvous.following;
        break;
      }
  }
  if (rendezvous.on_rails) network().expect_on_rails(false);
  if (rendezvous.device) {
    // Who is lost may still write there.
    const bool keep = !rendezvous.error && !loss_of(rendezvous.peer->process);
    messages_over_network().devices.give_back(*rendezvous.device, keep);
  } else {
    network().forget(rendezvous.memory);
  }
  for (Write& write : rendezvous.writes) {
    if (write.packed) network().endpoint().forget(write.memory);
    std::free(write.packed);
  }
  std::free(rendezvous.bounce);
  delete &rendezvous;
}

bool network_reaches_devices() {
  return transport::network::has_device_access();
}

Reason find_device(Rendezvous& rendezvous) {
  const Request& request = *rendezvous.request;
  if (request.is_run || request.is_host || request.bytes == 0) return Reason::none;
  const Datatype& type = *request.datatype;
  char* data = static_cast<char*>(request.buffer) + type.true_lower_bound;
  Reason why = Reason::none;
  rendezvous.device = messages_over_network().devices.take(
      data, static_cast<std::size_t>(request.bytes), type.contiguous, &why);
  if (rendezvous.device) rendezvous.data = data;
  return why;
}

void reach_device(Rendezvous& rendezvous) {
  const Reason why = find_device(rendezvous);
  const Request& request = *rendezvous.request;
  // A send that has waited for space was counted before.
  if (why != Reason::none && request.stage != Stage::queued)
    count_reason(*rendezvous.peer, why, request.bytes);
}

void list_writing(Rendezvous& rendezvous) {
  if (rendezvous.listed) return;
  platform::Guard guard(table().lock);
  rendezvous.listed = true;
  rendezvous.following = table().writing;
  table().writing = &rendezvous;
}

Rendezvous* first_writing() {
  platform::Guard guard(table().lock);
  return table().writing;
}

std::int64_t write_bytes_of(std::int64_t bytes, int rails) {
  if (rails <= 1) return write_bytes_max;
  constexpr std::int64_t least = 128 << 10;  // guess
  constexpr std::int64_t parts_each = 2;     // guess: an interface that is quicker takes more
  const std::int64_t part = (bytes / (rails * parts_each) + page_bytes - 1) / page_bytes *
                            static_cast<std::int64_t>(page_bytes);
  return std::clamp(part, least, write_bytes_max);
}

void fail_rendezvous(Process process) {
  for (std::uint32_t place = 0; place < rendezvous_places(); ++place) {
    Rendezvous* rendezvous = rendezvous_at(place);
    if (!rendezvous || rendezvous->peer->process != process) continue;
    if (rendezvous->unmatched) continue;  // still posted: fails as such
    // A request that waits for space fails when it is tried again, and a receive that another
    // thread has still to ask for when that asks.
    const Stage stage = rendezvous->request->stage;
    if (rendezvous->outgoing ? stage == Stage::queued : stage != Stage::streaming) continue;
    if (!rendezvous->error) rendezvous->error = explain_loss(process);
    if (!rendezvous->outgoing)
      end_receive(*rendezvous);
    else if (is_over(*rendezvous))
      end_send(*rendezvous);
  }
}

void forget_rendezvous() {
  for (std::uint32_t place = 0; place < table().size; ++place)
    if (table().all[place]) close_rendezvous(*table().all[place]);
  std::free(table().all);
  table().all = nullptr;
  table().size = table().lowest = 0;
}

}  // namespace baton::message
