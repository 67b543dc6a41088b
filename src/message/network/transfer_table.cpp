#include "message/network/transfer_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "message/network/peer_loss.hpp"

namespace baton::message {

using transport::network::network;

namespace {

struct Transfers {
  Transfer** all = nullptr;
  std::uint32_t size = 0;
  std::uint32_t lowest = 0;  // below it none is free
  Transfer* writing = nullptr;
  platform::Lock lock;
} transfers;

}  // namespace

Transfer* open_transfer(RemotePeer& peer, Request& request, bool outgoing) {
  auto* made = new (std::nothrow) Transfer;
  if (!made) return nullptr;
  platform::Guard guard(transfers.lock);
  std::uint32_t number = transfers.lowest;
  while (number < transfers.size && transfers.all[number]) ++number;
  if (number == transfers.size) {
    const std::uint32_t size = std::max(64u, 2 * transfers.size);
    void* grown = std::realloc(transfers.all, size * sizeof(Transfer*));
    if (!grown) {
      delete made;
      return nullptr;
    }
    transfers.all = static_cast<Transfer**>(grown);
    std::fill(transfers.all + transfers.size, transfers.all + size, nullptr);
    transfers.size = size;
  }
  transfers.lowest = number + 1;
  transfers.all[number] = made;
  made->request = &request;
  made->peer = &peer;
  made->number = number;
  made->outgoing = outgoing;
  return made;
}

Transfer* find_transfer(std::uint32_t number, bool outgoing) {
  platform::Guard guard(transfers.lock);
  Transfer* found = number < transfers.size ? transfers.all[number] : nullptr;
  return found && found->outgoing == outgoing ? found : nullptr;
}

std::uint32_t transfer_numbers() {
  return platform::load_shared(transfers.size);
}

void close_transfer(Transfer& transfer) {
  {
    platform::Guard guard(transfers.lock);
    transfers.all[transfer.number] = nullptr;
    transfers.lowest = std::min(transfers.lowest, transfer.number);
    for (Transfer** link = &transfers.writing; *link; link = &(*link)->following)
      if (*link == &transfer) {
        *link = transfer.following;
        break;
      }
  }
  if (transfer.on_rails) network.expect_on_rails(false);
  network.forget(transfer.memory);
  for (Write& write : transfer.writes) {
    if (write.packed) network.endpoint().forget(write.memory);
    std::free(write.packed);
  }
  std::free(transfer.bounce);
  delete &transfer;
}

void list_writing(Transfer& transfer) {
  if (transfer.listed) return;
  platform::Guard guard(transfers.lock);
  transfer.listed = true;
  transfer.following = transfers.writing;
  transfers.writing = &transfer;
}

Transfer* first_writing() {
  platform::Guard guard(transfers.lock);
  return transfers.writing;
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
    // What waits for room fails there.
    if (transfer->request->stage == Stage::queued) continue;
    if (!transfer->error) transfer->error = lost_peer(process, loss_of(process));
    if (!transfer->outgoing)
      end_receive(*transfer);
    else if (is_over(*transfer))
      end_send(*transfer);
  }
}

void forget_transfers() {
  for (std::uint32_t i = 0; i < transfers.size; ++i)
    if (transfers.all[i]) close_transfer(*transfers.all[i]);
  std::free(transfers.all);
  transfers.all = nullptr;
  transfers.size = transfers.lowest = 0;
}

}  // namespace baton::message
