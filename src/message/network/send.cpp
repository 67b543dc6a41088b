// A sender's side of the rendezvous over the network: from its envelope to the last write.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "datatype/pack.hpp"
#include "message/core/loss.hpp"
#include "message/core/outstanding.hpp"
#include "message/core/requests.hpp"
#include "message/network/cancel.hpp"
#include "message/network/network_messages.hpp"
#include "message/network/peer_loss.hpp"
#include "message/network/rendezvous_table.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkPeer;
using transport::network::rails_max;
using transport::network::Registration;
using transport::network::Started;

void end_send(Rendezvous& rendezvous) {
  Request& send = *rendezvous.request;
  const Error error = rendezvous.error;
  close_rendezvous(rendezvous);
  platform::add_shared(messages_over_network().sends_under_way, ~0u);
  set_outstanding(send, 0);
  complete(send, error);
}

bool is_over(const Rendezvous& rendezvous) {
  if (rendezvous.writing > 0) return false;
  return rendezvous.error || rendezvous.next == rendezvous.answer.limit;
}

namespace {

void written(transport::network::Operation& operation, int error) {
  auto& write = static_cast<Write&>(operation);
  Rendezvous& rendezvous = *write.rendezvous;
  write.busy = false;
  --rendezvous.writing;
  --rendezvous.writing_on[write.rail];
  if (!error) ++network_peer(rendezvous).transit.writes_out;
  if (error && !rendezvous.error) rendezvous.error = lost_peer(rendezvous.peer->process, error);
  if (is_over(rendezvous)) end_send(rendezvous);
}

// The data of the next write: where it is, or packed. Null without memory.
const char* data_of(Rendezvous& rendezvous, Write& write, std::int64_t bytes) {
  const Request& send = *rendezvous.request;
  if (rendezvous.data) return rendezvous.data + rendezvous.next;
  if (!write.packed) {
    write.packed = static_cast<char*>(std::malloc(write_bytes_max));
    if (!write.packed) return nullptr;
    rendezvous.error =
        network().endpoint().register_source(write.packed, write_bytes_max, write.memory);
    if (rendezvous.error) return nullptr;
  }
  datatype::pack(*send.datatype, send.buffer, rendezvous.next, write.packed, bytes, send.is_host);
  return write.packed;
}

// The interface with the least to do.
int next_rail(const Rendezvous& rendezvous) {
  int best = 0;
  for (int rail = 1; rail < rails_max; ++rail)
    if ((rendezvous.rails >> rail & 1) && rendezvous.writing_on[rail] < rendezvous.writing_on[best])
      best = rail;
  return best;
}

// Begins a write; false when there is no space for it now.
bool begin_write(Rendezvous& rendezvous) {
  const NetworkCtsLine& answer = rendezvous.answer;
  const std::int64_t bytes =
      std::min<std::int64_t>(answer.write_bytes, answer.offset + answer.bytes - rendezvous.next);
  Write* write = std::find_if(rendezvous.writes, std::end(rendezvous.writes),
                              [](const Write& one) { return !one.busy; });
  const char* data = data_of(rendezvous, *write, bytes);
  if (!data) return false;
  write->rendezvous = &rendezvous;
  write->done = written;
  const NetworkPeer& peer = network_peer(rendezvous);
  const int rail = write->rail = next_rail(rendezvous);
  const Registration& source =
      write->packed ? write->memory : rendezvous.memory.each[network().rail_from(peer, rail)];
  const Started started =
      network().write(peer, rail, data, static_cast<std::size_t>(bytes), source.description,
                      answer.address + static_cast<std::uint64_t>(rendezvous.next - answer.offset),
                      answer.keys[rail], answer.receive, *write);
  if (started == Started::later) return false;
  if (started == Started::failed && rail > 0) {
    rendezvous.rails &= ~(1u << rail);  // the others go on
    return true;
  }
  if (started == Started::failed) {
    rendezvous.error = MPI_ERR_OTHER;
    return true;
  }
  write->busy = true;
  ++network_peer(rendezvous).transit.writes_begun;
  ++rendezvous.writing;
  ++rendezvous.writing_on[rail];
  rendezvous.next += bytes;
  return true;
}

bool advance(Rendezvous& rendezvous) {
  bool any = false;
  const int most = rendezvous.rails == 1 ? writes_at_once : writes_at_once_max;
  while (!rendezvous.error && rendezvous.writing < most &&
         rendezvous.next < rendezvous.answer.offset + rendezvous.answer.bytes) {
    if (!begin_write(rendezvous)) break;
    any = true;
  }
  return any;
}

// Begins to write where the receiver has said.
void begin_part(Rendezvous& rendezvous, const NetworkCtsLine& answer) {
  Request& send = *rendezvous.request;
  send.stage = Stage::streaming;
  rendezvous.answer = answer;
  const bool first = !std::exchange(rendezvous.answered, true);
  if (first && answer.bytes > 0 && rendezvous.data) {
    if (network().rails() > 1 && answer.rails > 1) {
      rendezvous.rails = network().rails_to(network_peer(rendezvous), answer.rails);
      rendezvous.on_rails = true;
      network().expect_on_rails(true);
    }
    const int rails = rendezvous.rails == 1 ? 1 : network().rails();
    if (rendezvous.device)
      rendezvous.memory = rendezvous.device->at(rendezvous.data, rails);
    else
      rendezvous.error = network().register_source(
          rendezvous.data, static_cast<std::size_t>(answer.limit), rails, rendezvous.memory);
    if (rendezvous.memory.count < network().rails()) rendezvous.rails = 1;
  }
  list_writing(rendezvous);
  // Another thread may make progress: it goes on with what is listed.
  if (platform::threads_multiple) return;
  advance(rendezvous);
  if (is_over(rendezvous)) end_send(rendezvous);
}

}  // namespace

bool put_network_rts(RemotePeer& peer, Request& send) {
  Rendezvous* rendezvous = open_rendezvous(peer, send, true);
  if (!rendezvous) return false;
  reach_device(*rendezvous);
  NetworkRtsLine line{send.bytes, rendezvous->number, 0, rendezvous->device != nullptr, {}};
  if (send.is_run) {
    line.head_bytes = static_cast<std::uint16_t>(
        std::min(network().bytes_before_write(send.buffer), static_cast<std::size_t>(send.bytes)));
    datatype::pack(*send.datatype, send.buffer, 0, line.head, line.head_bytes, send.is_host);
  }
  const lockfree::Envelope envelope{send.context, send.tag};
  send.stage = Stage::offered;
  send.part.begin<NetworkRequest>().rendezvous = rendezvous->number;
  rendezvous->next = line.head_bytes;
  platform::add_shared(messages_over_network().sends_under_way, 1u);
  set_outstanding(send, send.bytes);
  if (!put_line(peer, NetworkLine::rts, send.source, envelope, &line, sizeof line)) {
    set_outstanding(send, 0);
    platform::add_shared(messages_over_network().sends_under_way, ~0u);
    close_rendezvous(*rendezvous);
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
  Rendezvous* rendezvous = find_rendezvous(send, true);
  if (!rendezvous && loss_of(peer.process)) return;
  BATON_INVARIANT(rendezvous && rendezvous->peer == &peer && !rendezvous->answered);
  const std::int64_t limit = std::min(rendezvous->request->bytes, advert.bytes);
  NetworkCtsLine answer{};
  answer.address = advert.address + static_cast<std::uint64_t>(rendezvous->next);
  std::copy_n(advert.keys, rails_max, answer.keys);
  answer.rails = advert.rails;
  answer.offset = rendezvous->next;
  answer.bytes = limit - rendezvous->next;
  answer.limit = limit;
  answer.send = send;
  answer.receive = advert.receive;
  answer.write_bytes = static_cast<std::uint32_t>(write_bytes_of(answer.bytes, advert.rails));
  begin_part(*rendezvous, answer);
}

void arrive_network_cts(const RemotePeer& peer, const NetworkCtsLine& line) {
  Rendezvous* rendezvous = find_rendezvous(line.send, true);
  // The first part begins behind what the envelope has brought.
  if (rendezvous && !rendezvous->answered) rendezvous->next = line.offset;
  BATON_INVARIANT(rendezvous && rendezvous->peer == &peer && line.offset == rendezvous->next &&
                  line.limit <= rendezvous->request->bytes && line.write_bytes <= write_bytes_max);
  begin_part(*rendezvous, line);
}

void end_cancelled_send(std::uint32_t number, Process receiver) {
  Rendezvous* rendezvous = find_rendezvous(number, true);
  if (!rendezvous || rendezvous->peer->process != receiver) return;
  if (rendezvous->doomed)
    rendezvous->error = broken(rendezvous->request->owner);
  else
    rendezvous->request->cancelled = true;
  rendezvous->request->bytes = 0;
  end_send(*rendezvous);
}

void take_doomed_sends_back(bool (*is_doomed)(const Request& send)) {
  for (std::uint32_t place = 0; place < rendezvous_places(); ++place) {
    Rendezvous* rendezvous = rendezvous_at(place);
    if (!rendezvous || !rendezvous->outgoing || rendezvous->answered || rendezvous->doomed ||
        rendezvous->request->stage == Stage::queued || !is_doomed(*rendezvous->request))
      continue;
    rendezvous->doomed = true;
    ask_to_cancel(*rendezvous->request);
  }
}

bool advance_rendezvous() {
  bool any = false;
  for (Rendezvous* rendezvous = first_writing(); rendezvous;) {
    Rendezvous* following = rendezvous->following;
    any |= advance(*rendezvous);
    if (is_over(*rendezvous)) end_send(*rendezvous);
    rendezvous = following;
  }
  return any;
}

}  // namespace baton::message
