// A sender's side of the rendezvous over the network: from its envelope to the last write.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "datatype/pack.hpp"
#include "message/core/loss.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/transfer_table.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkPeer;
using transport::network::rails_max;
using transport::network::Registration;
using transport::network::Started;

void end_send(Transfer& transfer) {
  Request& send = *transfer.request;
  const Error error = transfer.error;
  close_transfer(transfer);
  platform::add_shared(messages_over_network().sends_under_way, ~0u);
  set_outstanding(send, 0);
  complete(send, error);
}

bool is_over(const Transfer& transfer) {
  if (transfer.writing > 0) return false;
  return transfer.error || transfer.next == transfer.answer.limit;
}

namespace {

void written(transport::network::Operation& operation, int error) {
  auto& write = static_cast<Write&>(operation);
  Transfer& transfer = *write.transfer;
  write.busy = false;
  --transfer.writing;
  --transfer.writing_on[write.rail];
  if (!error) ++network_peer(transfer).transit.writes_out;
  if (error && !transfer.error) transfer.error = lost_peer(transfer.peer->process, error);
  if (is_over(transfer)) end_send(transfer);
}

// The data of the next write: where it is, or packed. Null without memory.
const char* data_of(Transfer& transfer, Write& write, std::int64_t bytes) {
  const Request& send = *transfer.request;
  if (send.datatype->contiguous) return static_cast<const char*>(send.buffer) + transfer.next;
  if (!write.packed) {
    write.packed = static_cast<char*>(std::malloc(write_bytes_max));
    if (!write.packed) return nullptr;
    transfer.error =
        network().endpoint().register_source(write.packed, write_bytes_max, write.memory);
    if (transfer.error) return nullptr;
  }
  datatype::pack(*send.datatype, send.buffer, transfer.next, write.packed, bytes);
  return write.packed;
}

// The interface with the least to do.
int next_rail(const Transfer& transfer) {
  int best = 0;
  for (int rail = 1; rail < rails_max; ++rail)
    if ((transfer.rails >> rail & 1) && transfer.writing_on[rail] < transfer.writing_on[best])
      best = rail;
  return best;
}

// Begins a write; false when there is no room for it now.
bool begin_write(Transfer& transfer) {
  const NetworkCtsLine& answer = transfer.answer;
  const std::int64_t bytes =
      std::min<std::int64_t>(answer.write_bytes, answer.offset + answer.bytes - transfer.next);
  Write* write = std::find_if(transfer.writes, std::end(transfer.writes),
                              [](const Write& one) { return !one.busy; });
  const char* data = data_of(transfer, *write, bytes);
  if (!data) return false;
  write->transfer = &transfer;
  write->done = written;
  const NetworkPeer& peer = network_peer(transfer);
  const int rail = write->rail = next_rail(transfer);
  const Registration& source =
      write->packed ? write->memory : transfer.memory.each[network().rail_from(peer, rail)];
  const Started started =
      network().write(peer, rail, data, static_cast<std::size_t>(bytes), source.description,
                      answer.address + static_cast<std::uint64_t>(transfer.next - answer.offset),
                      answer.keys[rail], answer.receive, *write);
  if (started == Started::later) return false;
  if (started == Started::failed && rail > 0) {
    transfer.rails &= ~(1u << rail);  // the others go on
    return true;
  }
  if (started == Started::failed) {
    transfer.error = MPI_ERR_OTHER;
    return true;
  }
  write->busy = true;
  ++network_peer(transfer).transit.writes_begun;
  ++transfer.writing;
  ++transfer.writing_on[rail];
  transfer.next += bytes;
  return true;
}

bool advance(Transfer& transfer) {
  bool any = false;
  const int most = transfer.rails == 1 ? writes_at_once : writes_at_once_max;
  while (!transfer.error && transfer.writing < most &&
         transfer.next < transfer.answer.offset + transfer.answer.bytes) {
    if (!begin_write(transfer)) break;
    any = true;
  }
  return any;
}

// Begins to write where the receiver has said.
void begin_part(Transfer& transfer, const NetworkCtsLine& answer) {
  Request& send = *transfer.request;
  send.stage = Stage::streaming;
  transfer.answer = answer;
  const bool first = !std::exchange(transfer.answered, true);
  if (first && answer.bytes > 0 && send.datatype->contiguous) {
    if (network().rails() > 1 && answer.rails > 1) {
      transfer.rails = network().rails_to(network_peer(transfer), answer.rails);
      transfer.on_rails = true;
      network().expect_on_rails(true);
    }
    transfer.error =
        network().register_source(send.buffer, static_cast<std::size_t>(answer.limit),
                                  transfer.rails == 1 ? 1 : network().rails(), transfer.memory);
    if (transfer.memory.count < network().rails()) transfer.rails = 1;
  }
  list_writing(transfer);
  // Another thread may make progress: it goes on with what is listed.
  if (platform::threads_multiple) return;
  advance(transfer);
  if (is_over(transfer)) end_send(transfer);
}

}  // namespace

bool put_network_rts(RemotePeer& peer, Request& send) {
  Transfer* transfer = open_transfer(peer, send, true);
  if (!transfer) return false;
  NetworkRtsLine line{send.bytes, transfer->number, 0, {}};
  if (send.datatype->contiguous) {
    line.head_bytes = static_cast<std::uint32_t>(
        std::min(network().bytes_before_write(send.buffer), static_cast<std::size_t>(send.bytes)));
    std::memcpy(line.head, send.buffer, line.head_bytes);
  }
  const lockfree::Envelope envelope{send.context, send.tag};
  send.stage = Stage::offered;
  send.part.begin<NetworkRequest>().transfer = transfer->number;
  transfer->next = line.head_bytes;
  platform::add_shared(messages_over_network().sends_under_way, 1u);
  set_outstanding(send, send.bytes);
  if (!put_line(peer, NetworkLine::rts, send.source, envelope, &line, sizeof line)) {
    set_outstanding(send, 0);
    platform::add_shared(messages_over_network().sends_under_way, ~0u);
    close_transfer(*transfer);
    return false;
  }
  // Its receiver may have answered, and another thread gone on with it, unless an advert answers.
  KnownAdverts& known = peer.adverts.known;
  const NetworkAdvertLine* matched = known.find(envelope);
  const NetworkAdvertLine advert = matched ? *matched : NetworkAdvertLine{};
  known.sent(envelope, line.send, matched);
  if (matched) write_to_advertised(peer, line.send, advert);
  return true;
}

void write_to_advertised(const RemotePeer& peer, std::uint32_t send,
                         const NetworkAdvertLine& advert) {
  Transfer* transfer = find_transfer(send, true);
  if (!transfer && loss_of(peer.process)) return;
  BATON_INVARIANT(transfer && transfer->peer == &peer && !transfer->answered);
  const std::int64_t limit = std::min(transfer->request->bytes, advert.bytes);
  NetworkCtsLine answer{};
  answer.address = advert.address + static_cast<std::uint64_t>(transfer->next);
  std::copy_n(advert.keys, rails_max, answer.keys);
  answer.rails = advert.rails;
  answer.offset = transfer->next;
  answer.bytes = limit - transfer->next;
  answer.limit = limit;
  answer.send = send;
  answer.receive = advert.receive;
  answer.write_bytes = static_cast<std::uint32_t>(write_bytes_of(answer.bytes, advert.rails));
  begin_part(*transfer, answer);
}

void arrive_network_cts(const RemotePeer& peer, const NetworkCtsLine& line) {
  Transfer* transfer = find_transfer(line.send, true);
  // The first part begins behind what the envelope has brought.
  if (transfer && !transfer->answered) transfer->next = line.offset;
  BATON_INVARIANT(transfer && transfer->peer == &peer && line.offset == transfer->next &&
                  line.limit <= transfer->request->bytes && line.write_bytes <= write_bytes_max);
  begin_part(*transfer, line);
}

void end_cancelled_send(std::uint32_t number, Process receiver) {
  Transfer* transfer = find_transfer(number, true);
  if (!transfer || transfer->peer->process != receiver) return;
  transfer->request->cancelled = true;
  transfer->request->bytes = 0;
  end_send(*transfer);
}

bool advance_transfers() {
  bool any = false;
  for (Transfer* transfer = first_writing(); transfer;) {
    Transfer* following = transfer->following;
    any |= advance(*transfer);
    if (is_over(*transfer)) end_send(*transfer);
    transfer = following;
  }
  return any;
}

}  // namespace baton::message
