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

Rendezvous* open_rendezvous(RemotePeer& peer, Request& request, bool outgoing) {
  auto* made = new (std::nothrow) Rendezvous;
  if (!made) return nullptr;
  platform::Guard guard(messages_over_network().rendezvous_table.lock);
  std::uint32_t number = messages_over_network().rendezvous_table.lowest;
  while (number < messages_over_network().rendezvous_table.size &&
         messages_over_network().rendezvous_table.all[number])
    ++number;
  if (number == messages_over_network().rendezvous_table.size) {
    const std::uint32_t size = std::max(64u, 2 * messages_over_network().rendezvous_table.size);
    void* grown =
        std::realloc(messages_over_network().rendezvous_table.all, size * sizeof(Rendezvous*));
    if (!grown) {
      delete made;
      return nullptr;
    }
    messages_over_network().rendezvous_table.all = static_cast<Rendezvous**>(grown);
    std::fill(messages_over_network().rendezvous_table.all +
                  messages_over_network().rendezvous_table.size,
              messages_over_network().rendezvous_table.all + size, nullptr);
    messages_over_network().rendezvous_table.size = size;
  }
  messages_over_network().rendezvous_table.lowest = number + 1;
  messages_over_network().rendezvous_table.all[number] = made;
  made->request = &request;
  made->peer = &peer;
  made->number = number;
  made->outgoing = outgoing;
  if (request.is_run) made->data = static_cast<char*>(request.buffer);
  return made;
}

Rendezvous* find_rendezvous(std::uint32_t number, bool outgoing) {
  platform::Guard guard(messages_over_network().rendezvous_table.lock);
  Rendezvous* found = number < messages_over_network().rendezvous_table.size
                          ? messages_over_network().rendezvous_table.all[number]
                          : nullptr;
  return found && found->outgoing == outgoing ? found : nullptr;
}

std::uint32_t rendezvous_numbers() {
  return platform::load_shared(messages_over_network().rendezvous_table.size);
}

void close_rendezvous(Rendezvous& rendezvous) {
  {
    platform::Guard guard(messages_over_network().rendezvous_table.lock);
    messages_over_network().rendezvous_table.all[rendezvous.number] = nullptr;
    messages_over_network().rendezvous_table.lowest =
        std::min(messages_over_network().rendezvous_table.lowest, rendezvous.number);
    for (Rendezvous** link = &messages_over_network().rendezvous_table.writing; *link;
         link = &(*link)->following)
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
  platform::Guard guard(messages_over_network().rendezvous_table.lock);
  rendezvous.listed = true;
  rendezvous.following = messages_over_network().rendezvous_table.writing;
  messages_over_network().rendezvous_table.writing = &rendezvous;
}

Rendezvous* first_writing() {
  platform::Guard guard(messages_over_network().rendezvous_table.lock);
  return messages_over_network().rendezvous_table.writing;
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
  for (std::uint32_t i = 0; i < rendezvous_numbers(); ++i) {
    Rendezvous* rendezvous = find_rendezvous(i, false);
    if (!rendezvous) rendezvous = find_rendezvous(i, true);
    if (!rendezvous || rendezvous->peer->process != process) continue;
    if (rendezvous->unmatched) continue;  // still posted: fails as such
    // A request that waits for space fails when it is tried again.
    if (rendezvous->request->stage == Stage::queued) continue;
    if (!rendezvous->error) rendezvous->error = explain_loss(process);
    if (!rendezvous->outgoing)
      end_receive(*rendezvous);
    else if (is_over(*rendezvous))
      end_send(*rendezvous);
  }
}

void forget_rendezvous() {
  for (std::uint32_t i = 0; i < messages_over_network().rendezvous_table.size; ++i)
    if (messages_over_network().rendezvous_table.all[i])
      close_rendezvous(*messages_over_network().rendezvous_table.all[i]);
  std::free(messages_over_network().rendezvous_table.all);
  messages_over_network().rendezvous_table.all = nullptr;
  messages_over_network().rendezvous_table.size = messages_over_network().rendezvous_table.lowest =
      0;
}

}  // namespace baton::message
