#include "message/network/transfer_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/core/loss.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"

namespace baton::message {

using transport::network::network;

Transfer* open_transfer(RemotePeer& peer, Request& request, bool outgoing) {
  auto* made = new (std::nothrow) Transfer;
  if (!made) return nullptr;
  platform::Guard guard(messages_over_network().transfers.lock);
  std::uint32_t number = messages_over_network().transfers.lowest;
  while (number < messages_over_network().transfers.size &&
         messages_over_network().transfers.all[number])
    ++number;
  if (number == messages_over_network().transfers.size) {
    const std::uint32_t size = std::max(64u, 2 * messages_over_network().transfers.size);
    void* grown = std::realloc(messages_over_network().transfers.all, size * sizeof(Transfer*));
    if (!grown) {
      delete made;
      return nullptr;
    }
    messages_over_network().transfers.all = static_cast<Transfer**>(grown);
    std::fill(messages_over_network().transfers.all + messages_over_network().transfers.size,
              messages_over_network().transfers.all + size, nullptr);
    messages_over_network().transfers.size = size;
  }
  messages_over_network().transfers.lowest = number + 1;
  messages_over_network().transfers.all[number] = made;
  made->request = &request;
  made->peer = &peer;
  made->number = number;
  made->outgoing = outgoing;
  return made;
}

Transfer* find_transfer(std::uint32_t number, bool outgoing) {
  platform::Guard guard(messages_over_network().transfers.lock);
  Transfer* found = number < messages_over_network().transfers.size
                        ? messages_over_network().transfers.all[number]
                        : nullptr;
  return found && found->outgoing == outgoing ? found : nullptr;
}

std::uint32_t transfer_numbers() {
  return platform::load_shared(messages_over_network().transfers.size);
}

void close_transfer(Transfer& transfer) {
  {
    platform::Guard guard(messages_over_network().transfers.lock);
    messages_over_network().transfers.all[transfer.number] = nullptr;
    messages_over_network().transfers.lowest =
        std::min(messages_over_network().transfers.lowest, transfer.number);
    for (Transfer** link = &messages_over_network().transfers.writing; *link;
         link = &(*link)->following)
      if (*link == &transfer) {
        *link = transfer.following;
        break;
      }
  }
  if (transfer.on_rails) network().expect_on_rails(false);
  network().forget(transfer.memory);
  for (Write& write : transfer.writes) {
    if (write.packed) network().endpoint().forget(write.memory);
    std::free(write.packed);
  }
  std::free(transfer.bounce);
  delete &transfer;
}

void list_writing(Transfer& transfer) {
  if (transfer.listed) return;
  platform::Guard guard(messages_over_network().transfers.lock);
  transfer.listed = true;
  transfer.following = messages_over_network().transfers.writing;
  messages_over_network().transfers.writing = &transfer;
}

Transfer* first_writing() {
  platform::Guard guard(messages_over_network().transfers.lock);
  return messages_over_network().transfers.writing;
}

std::int64_t write_bytes_of(std::int64_t bytes, int rails) {
  if (rails <= 1) return write_bytes_max;
  constexpr std::int64_t least = 128 << 10;  // guess
  constexpr std::int64_t parts_each = 2;     // guess: an interface that is quicker takes more
  const std::int64_t part = (bytes / (rails * parts_each) + page_bytes - 1) / page_bytes *
                            static_cast<std::int64_t>(page_bytes);
  return std::clamp(part, least, write_bytes_max);
}

void fail_transfers(Process process) {
  for (std::uint32_t i = 0; i < transfer_numbers(); ++i) {
    Transfer* transfer = find_transfer(i, false);
    if (!transfer) transfer = find_transfer(i, true);
    if (!transfer || transfer->peer->process != process) continue;
    if (transfer->unmatched) continue;  // still posted: fails as such
    // A request that waits for room fails when it is tried again.
    if (transfer->request->stage == Stage::queued) continue;
    if (!transfer->error) transfer->error = explain_loss(process);
    if (!transfer->outgoing)
      end_receive(*transfer);
    else if (is_over(*transfer))
      end_send(*transfer);
  }
}

void forget_transfers() {
  for (std::uint32_t i = 0; i < messages_over_network().transfers.size; ++i)
    if (messages_over_network().transfers.all[i])
      close_transfer(*messages_over_network().transfers.all[i]);
  std::free(messages_over_network().transfers.all);
  messages_over_network().transfers.all = nullptr;
  messages_over_network().transfers.size = messages_over_network().transfers.lowest = 0;
}

}  // namespace baton::message
