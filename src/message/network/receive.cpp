// A receiver's side of the rendezvous over the network: says where a message goes, and counts what
// is written there.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/settings.hpp"
#include "datatype/pack.hpp"
#include "message/core/account.hpp"
#include "message/core/contact.hpp"
#include "message/core/loss.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/queue.hpp"
#include "message/core/requests.hpp"
#include "message/network/advert.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/transfer_table.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::RailRegistrations;
using transport::network::rails_max;

namespace {

constexpr std::int64_t bounce_bytes = 1 << 20;  // guess: of receives with gaps, at a time

int rails_for(const Request& request) {
  return request.datatype->contiguous && request.bytes >= settings.network_rails_bytes_min
             ? network().rails()
             : 1;
}

std::int32_t writes_for(std::int64_t bytes, int rails) {
  const std::int64_t each = write_bytes_of(bytes, rails);
  return static_cast<std::int32_t>((bytes + each - 1) / each);
}

// The memory that the present part of a receive is written into, and the following ones if it has
// gaps.
Error register_part(Transfer& transfer, std::int64_t bytes) {
  Request& receive = *transfer.request;
  const bool direct = receive.datatype->contiguous;
  void* memory = static_cast<char*>(receive.buffer) + transfer.begin;
  if (!direct) memory = transfer.bounce = static_cast<char*>(std::malloc(bounce_bytes));
  if (!memory) return fail(MPI_ERR_NO_MEM, "no memory to unpack a message from the network");
  const Error error =
      network().register_target(memory, static_cast<std::size_t>(direct ? bytes : bounce_bytes),
                                rails_for(receive), transfer.memory);
  transfer.on_rails = transfer.memory.count > 1;
  if (transfer.on_rails) network().expect_on_rails(true);
  return error;
}

// Makes the present part of a receive ready to be written into.
Error open_part(Transfer& transfer) {
  Request& receive = *transfer.request;
  const bool direct = receive.datatype->contiguous;
  transfer.end = direct ? receive.bytes : std::min(receive.bytes, transfer.begin + bounce_bytes);
  const std::int64_t bytes = transfer.end - transfer.begin;
  if (transfer.memory.count == 0 && bytes > 0)
    if (Error error = register_part(transfer, bytes)) return error;
  transfer.writes_left = writes_for(bytes, std::max(transfer.memory.count, 1));
  return MPI_SUCCESS;
}

// Takes the first bytes, which came with the envelope.
void take_head(Transfer& transfer, const char* head, std::int64_t bytes) {
  Request& receive = *transfer.request;
  transfer.begin = std::min(receive.bytes, bytes);
  if (receive.datatype->contiguous)
    std::memcpy(receive.buffer, head, static_cast<std::size_t>(transfer.begin));
  else
    datatype::unpack(*receive.datatype, receive.buffer, 0, head, transfer.begin);
}

}  // namespace

void end_receive(Transfer& transfer) {
  Request& receive = *transfer.request;
  const Error error = transfer.error;
  close_transfer(transfer);
  set_outstanding(receive, 0);
  complete(receive, receive.error ? receive.error : error);
}

namespace {

// Asks for the next part.
void ask(Transfer& transfer) {
  if (Error error = open_part(transfer)) {
    transfer.error = error;
    transfer.request->bytes = 0;
    transfer.begin = transfer.end = 0;  // nothing comes: the sender is let go
  }
  network_part(*transfer.request).transfer = transfer.number;
  submit(*transfer.peer, *transfer.request);
}

// Fills in the keys by which others name our memory; returns for how many interfaces.
std::int32_t tell_keys(const RailRegistrations& memory, std::uint64_t (&keys)[rails_max]) {
  for (int rail = 0; rail < memory.count; ++rail) keys[rail] = memory.each[rail].key;
  return memory.count;
}

}  // namespace

bool put_network_cts(RemotePeer& peer, Request& receive) {
  Transfer& transfer = *find_transfer(network_part(receive).transfer, false);
  const std::int64_t bytes = transfer.end - transfer.begin;
  NetworkCtsLine line{};
  line.address = transfer.memory.each[0].address;
  line.rails = tell_keys(transfer.memory, line.keys);
  line.offset = transfer.begin;
  line.bytes = bytes;
  line.limit = receive.bytes;
  line.send = transfer.send;
  line.receive = transfer.number;
  line.write_bytes = static_cast<std::uint32_t>(write_bytes_of(bytes, std::max(line.rails, 1)));
  receive.stage = Stage::streaming;
  // Once the line is out, another thread may find the last write and end the receive.
  const bool needs_nothing = transfer.begin == receive.bytes;
  if (!put_line(peer, NetworkLine::cts, 0, {0, 0}, &line, sizeof line)) return false;
  if (needs_nothing) end_receive(transfer);
  return true;
}

void accept_over_network(const UnexpectedMessage& unexpected, Request& receive) {
  if (receive.advert) return accept_advertised(receive, unexpected);
  RemotePeer& peer = static_cast<RemotePeer&>(*contact(unexpected.process));
  Transfer* transfer = open_transfer(peer, receive, false);
  BATON_INVARIANT(transfer != nullptr);
  receive.part.begin<NetworkRequest>();
  transfer->send = network_part(unexpected).send;
  if (network_part(unexpected).head_bytes > 0)
    take_head(*transfer, unexpected.payload(), network_part(unexpected).head_bytes);
  set_outstanding(receive, receive.bytes);
  count_message(peer, Way::network_write, receive.bytes);
  ask(*transfer);
}

bool open_advertised(RemotePeer& sender, Request& receive, NetworkAdvertLine& line) {
  Transfer* transfer = open_transfer(sender, receive, false);
  if (!transfer) return false;
  if (open_part(*transfer) != MPI_SUCCESS) {
    close_transfer(*transfer);
    return false;
  }
  transfer->unmatched = true;
  transfer->writes_left = 0;
  receive.part.begin<NetworkRequest>().transfer = transfer->number;
  line.address = transfer->memory.each[0].address;
  line.rails = tell_keys(transfer->memory, line.keys);
  line.receive = transfer->number;
  return true;
}

void close_advertised(const Request& receive) {
  Transfer* transfer = find_transfer(network_part(receive).transfer, false);
  BATON_INVARIANT(transfer && transfer->unmatched && transfer->writes_left == 0);
  close_transfer(*transfer);
}

void accept_written(Request& receive, const UnexpectedMessage& unexpected) {
  Transfer& transfer = *find_transfer(network_part(receive).transfer, false);
  transfer.advert = static_cast<std::uint32_t>(std::exchange(receive.advert, 0));
  transfer.unmatched = false;
  transfer.send = network_part(unexpected).send;
  receive.stage = Stage::streaming;
  set_outstanding(receive, receive.bytes);
  count_message(*transfer.peer, Way::receiver_initiated, receive.bytes);
  take_head(transfer, unexpected.payload(), network_part(unexpected).head_bytes);
  transfer.memory.each[0].address += static_cast<std::uint64_t>(transfer.begin);
  transfer.end = receive.bytes;
  transfer.writes_left += writes_for(transfer.end - transfer.begin, transfer.memory.count);
  if (transfer.writes_left == 0) end_receive(transfer);
}

void ask_for_refused(const RemotePeer& peer, std::uint32_t first) {
  for (std::uint32_t i = 0; i < transfer_numbers(); ++i) {
    Transfer* transfer = find_transfer(i, false);
    if (!transfer || transfer->peer != &peer || transfer->advert == 0 ||
        transfer->advert - first > ~0u / 2)
      continue;
    transfer->advert = 0;
    ask(*transfer);
  }
}

void fail_network_receive(Request& receive, Error error) {
  Transfer& transfer = *find_transfer(network_part(receive).transfer, false);
  transfer.error = error;
  end_receive(transfer);
}

void arrive_network_write(std::uint32_t receive) {
  Transfer* transfer = find_transfer(receive, false);
  // Its sender was lost meanwhile, and it has ended.
  if (!transfer && has_lost_peers()) return;
  BATON_INVARIANT(transfer && (transfer->writes_left > 0 || transfer->unmatched));
  ++network_peer(*transfer).transit.writes_in;
  if (--transfer->writes_left != 0 || transfer->unmatched) return;
  Request& request = *transfer->request;
  if (transfer->bounce)
    datatype::unpack(*request.datatype, request.buffer, transfer->begin, transfer->bounce,
                     transfer->end - transfer->begin);
  transfer->begin = transfer->end;
  if (transfer->end == request.bytes) return end_receive(*transfer);
  ask(*transfer);
}

}  // namespace baton::message
