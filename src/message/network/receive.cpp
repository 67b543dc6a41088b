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
#include "message/network/rendezvous_table.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::RailRegistrations;
using transport::network::rails_max;

namespace {

constexpr std::int64_t bounce_bytes = 1 << 20;  // guess: of receives with gaps, at a time

int rails_for(const Rendezvous& rendezvous) {
  const bool is_long = rendezvous.request->bytes >= settings.network_rails_bytes_min;
  return rendezvous.data && is_long ? network().rails() : 1;
}

std::int32_t writes_for(std::int64_t bytes, int rails) {
  const std::int64_t each = write_bytes_of(bytes, rails);
  return static_cast<std::int32_t>((bytes + each - 1) / each);
}

// The memory that the present part of a receive is written into, and the following ones if it has
// gaps.
Error register_part(Rendezvous& rendezvous, std::int64_t bytes) {
  char* memory;
  if (rendezvous.data) {
    memory = rendezvous.data + rendezvous.begin;
  } else {
    memory = rendezvous.bounce = static_cast<char*>(std::malloc(bounce_bytes));
    bytes = bounce_bytes;
  }
  if (!memory) return fail(MPI_ERR_NO_MEM, "no memory to unpack a message from the network");
  Error error = MPI_SUCCESS;
  if (rendezvous.device)
    rendezvous.memory = rendezvous.device->at(memory, rails_for(rendezvous));
  else
    error = network().register_target(memory, static_cast<std::size_t>(bytes),
                                      rails_for(rendezvous), rendezvous.memory);
  rendezvous.on_rails = rendezvous.memory.count > 1;
  if (rendezvous.on_rails) network().expect_on_rails(true);
  return error;
}

// Makes the present part of a receive ready to be written into.
Error open_part(Rendezvous& rendezvous) {
  const Request& receive = *rendezvous.request;
  rendezvous.end =
      rendezvous.data ? receive.bytes : std::min(receive.bytes, rendezvous.begin + bounce_bytes);
  const std::int64_t bytes = rendezvous.end - rendezvous.begin;
  if (rendezvous.memory.count == 0 && bytes > 0)
    if (Error error = register_part(rendezvous, bytes)) return error;
  rendezvous.writes_left = writes_for(bytes, std::max(rendezvous.memory.count, 1));
  return MPI_SUCCESS;
}

// Takes the first bytes, which came with the envelope.
void take_head(Rendezvous& rendezvous, const char* head, std::int64_t bytes) {
  Request& receive = *rendezvous.request;
  rendezvous.begin = std::min(receive.bytes, bytes);
  datatype::unpack(*receive.datatype, receive.buffer, 0, head, rendezvous.begin, receive.is_host);
}

}  // namespace

void end_receive(Rendezvous& rendezvous) {
  Request& receive = *rendezvous.request;
  const Error error = rendezvous.error;
  if (rendezvous.device) messages_over_network().devices.note_written(*rendezvous.device);
  close_rendezvous(rendezvous);
  set_outstanding(receive, 0);
  complete(receive, receive.error ? receive.error : error);
}

namespace {

// Asks for the next part.
void ask(Rendezvous& rendezvous) {
  if (Error error = open_part(rendezvous)) {
    rendezvous.error = error;
    rendezvous.request->bytes = 0;
    rendezvous.begin = rendezvous.end = 0;  // nothing comes: the sender is let go
  }
  network_part(*rendezvous.request).rendezvous = rendezvous.number;
  submit(*rendezvous.peer, *rendezvous.request);
}

// Fills in the keys by which others name our memory; returns for how many interfaces.
std::int32_t tell_keys(const RailRegistrations& memory, std::uint64_t (&keys)[rails_max]) {
  for (int rail = 0; rail < memory.count; ++rail) keys[rail] = memory.each[rail].key;
  return memory.count;
}

}  // namespace

bool put_network_cts(RemotePeer& peer, Request& receive) {
  Rendezvous& rendezvous = *find_rendezvous(network_part(receive).rendezvous, false);
  const std::int64_t bytes = rendezvous.end - rendezvous.begin;
  NetworkCtsLine line{};
  line.address = rendezvous.memory.each[0].address;
  line.rails = tell_keys(rendezvous.memory, line.keys);
  line.offset = rendezvous.begin;
  line.bytes = bytes;
  line.limit = receive.bytes;
  line.send = rendezvous.send;
  line.receive = rendezvous.number;
  line.write_bytes = static_cast<std::uint32_t>(write_bytes_of(bytes, std::max(line.rails, 1)));
  receive.stage = Stage::streaming;
  // Once the line is out, another thread may find the last write and end the receive.
  const bool needs_nothing = rendezvous.begin == receive.bytes;
  if (!put_line(peer, NetworkLine::cts, 0, {0, 0}, &line, sizeof line)) return false;
  if (needs_nothing) end_receive(rendezvous);
  return true;
}

void accept_over_network(const UnexpectedMessage& unexpected, Request& receive) {
  if (receive.advert) return accept_advertised(receive, unexpected);
  RemotePeer& peer = static_cast<RemotePeer&>(*contact(unexpected.process));
  Rendezvous* rendezvous = open_rendezvous(peer, receive, false);
  BATON_INVARIANT(rendezvous != nullptr);
  receive.part.begin<NetworkRequest>();
  rendezvous->send = network_part(unexpected).send;
  if (network_part(unexpected).head_bytes > 0)
    take_head(*rendezvous, unexpected.payload(), network_part(unexpected).head_bytes);
  set_outstanding(receive, receive.bytes);
  reach_device(*rendezvous);
  const bool by_device = rendezvous->device || network_part(unexpected).from_device;
  count_message(peer, by_device ? Way::network_device : Way::network_write, receive.bytes);
  ask(*rendezvous);
}

bool open_advertised(RemotePeer& sender, Request& receive, NetworkAdvertLine& line) {
  Rendezvous* rendezvous = open_rendezvous(sender, receive, false);
  if (!rendezvous) return false;
  (void)find_device(*rendezvous);
  if (!rendezvous->data || open_part(*rendezvous) != MPI_SUCCESS) {
    close_rendezvous(*rendezvous);
    return false;
  }
  rendezvous->unmatched = true;
  rendezvous->writes_left = 0;
  receive.part.begin<NetworkRequest>().rendezvous = rendezvous->number;
  line.address = rendezvous->memory.each[0].address;
  line.rails = tell_keys(rendezvous->memory, line.keys);
  line.receive = rendezvous->number;
  return true;
}

void close_advertised(const Request& receive) {
  Rendezvous* rendezvous = find_rendezvous(network_part(receive).rendezvous, false);
  BATON_INVARIANT(rendezvous && rendezvous->unmatched && rendezvous->writes_left == 0);
  close_rendezvous(*rendezvous);
}

void accept_written(Request& receive, const UnexpectedMessage& unexpected) {
  Rendezvous& rendezvous = *find_rendezvous(network_part(receive).rendezvous, false);
  rendezvous.advert = static_cast<std::uint32_t>(std::exchange(receive.advert, 0));
  rendezvous.unmatched = false;
  rendezvous.send = network_part(unexpected).send;
  receive.stage = Stage::streaming;
  set_outstanding(receive, receive.bytes);
  count_message(*rendezvous.peer, Way::receiver_initiated, receive.bytes);
  take_head(rendezvous, unexpected.payload(), network_part(unexpected).head_bytes);
  rendezvous.memory.each[0].address += static_cast<std::uint64_t>(rendezvous.begin);
  rendezvous.end = receive.bytes;
  rendezvous.writes_left += writes_for(rendezvous.end - rendezvous.begin, rendezvous.memory.count);
  if (rendezvous.writes_left == 0) end_receive(rendezvous);
}

void ask_for_refused(const RemotePeer& peer, std::uint32_t first) {
  for (std::uint32_t place = 0; place < rendezvous_places(); ++place) {
    Rendezvous* rendezvous = rendezvous_at(place);
    if (!rendezvous || rendezvous->outgoing || rendezvous->peer != &peer ||
        rendezvous->advert == 0 || rendezvous->advert - first > ~0u / 2)
      continue;
    rendezvous->advert = 0;
    ask(*rendezvous);
  }
}

void fail_network_receive(Request& receive, Error error) {
  Rendezvous& rendezvous = *find_rendezvous(network_part(receive).rendezvous, false);
  rendezvous.error = error;
  end_receive(rendezvous);
}

void arrive_network_write(std::uint32_t receive) {
  Rendezvous* rendezvous = find_rendezvous(receive, false);
  // Its sender was lost meanwhile, and it has ended.
  if (!rendezvous && has_lost_peers()) return;
  BATON_INVARIANT(rendezvous && (rendezvous->writes_left > 0 || rendezvous->unmatched));
  ++network_peer(*rendezvous).transit.writes_in;
  if (--rendezvous->writes_left != 0 || rendezvous->unmatched) return;
  Request& request = *rendezvous->request;
  if (rendezvous->bounce)
    datatype::unpack(*request.datatype, request.buffer, rendezvous->begin, rendezvous->bounce,
                     rendezvous->end - rendezvous->begin, request.is_host);
  rendezvous->begin = rendezvous->end;
  if (rendezvous->end == request.bytes) return end_receive(*rendezvous);
  ask(*rendezvous);
}

}  // namespace baton::message
