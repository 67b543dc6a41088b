#include "message/network_transfer.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/report.hpp"
#include "datatype/pack.hpp"
#include "message/active.hpp"
#include "message/outstanding.hpp"
#include "message/peer_loss.hpp"
#include "transport/network/network_link.hpp"

namespace baton::message {

using transport::network::network;
using transport::network::NetworkLink;
using transport::network::Registration;
using transport::network::Started;

namespace {

constexpr std::int64_t write_bytes = 1 << 20;   // guess: short messages come in between
constexpr std::int64_t bounce_bytes = 1 << 20;  // guess: of receives with gaps, at a time
constexpr int writes_at_once = 4;               // guess

struct Transfer;

// A write under way, and where its data was packed, if it has gaps.
struct Write : transport::network::Operation {
  Transfer* transfer = nullptr;
  char* packed = nullptr;
  Registration memory;  // of that
  bool busy = false;
};

// A message that is written by its sender into the receiver's buffer: either side of it.
struct Transfer {
  Request* request = nullptr;
  Peer* peer = nullptr;
  std::uint32_t number = 0;
  bool outgoing = false;
  bool listed = false;  // among those that want to write
  Error error = MPI_SUCCESS;
  Registration memory;  // ours
  // Of a send.
  NetworkCtsLine answer{};  // the last
  std::int64_t next = 0;    // to be written
  int writing = 0;
  bool answered = false;
  Write writes[writes_at_once];
  // Of a receive.
  std::uint32_t send = 0;           // its number
  std::int64_t begin = 0, end = 0;  // of the present part
  std::int32_t writes_left = 0;     // below 0: came before what they belong to
  std::uint32_t advert = 0;         // its number, if it was advertised
  bool unmatched = false;           // still
  char* bounce = nullptr;
  Transfer* following = nullptr;
};

// By their numbers, which peers name.
struct Transfers {
  Transfer** all = nullptr;
  std::uint32_t size = 0;
  std::uint32_t lowest = 0;  // below it none is free
  Transfer* writing = nullptr;
  platform::Lock lock;
} transfers;

Transfer* open_transfer(Peer& peer, Request& request, bool outgoing) {
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
  network.endpoint().forget(transfer.memory);
  for (Write& write : transfer.writes) {
    if (write.packed) network.endpoint().forget(write.memory);
    std::free(write.packed);
  }
  std::free(transfer.bounce);
  delete &transfer;
}

NetworkLink& link_of(const Peer& peer) {
  return *static_cast<NetworkLink*>(peer.link);
}

void end_send(Transfer& transfer) {
  Request& send = *transfer.request;
  const Error error = transfer.error;
  close_transfer(transfer);
  platform::add_shared(engine.network_sends, ~0u);
  set_outstanding(send, 0);
  complete(send, error);
}

bool is_over(const Transfer& transfer) {
  if (transfer.writing > 0) return false;
  return transfer.error || transfer.next == transfer.answer.limit;
}

void written(transport::network::Operation& operation, int error) {
  auto& write = static_cast<Write&>(operation);
  Transfer& transfer = *write.transfer;
  write.busy = false;
  --transfer.writing;
  if (error && !transfer.error) transfer.error = lost_peer(transfer.peer->process, error);
  if (is_over(transfer)) end_send(transfer);
}

// The data of the next write: where it is, or packed. Null without memory.
const char* data_of(Transfer& transfer, Write& write, std::int64_t bytes) {
  const Request& send = *transfer.request;
  if (send.datatype->contiguous) return static_cast<const char*>(send.buffer) + transfer.next;
  if (!write.packed) {
    write.packed = static_cast<char*>(std::malloc(write_bytes));
    if (!write.packed) return nullptr;
    transfer.error = network.endpoint().register_source(write.packed, write_bytes, write.memory);
    if (transfer.error) return nullptr;
  }
  datatype::pack(*send.datatype, send.buffer, transfer.next, write.packed, bytes);
  return write.packed;
}

// Begins a write; false when there is no room for it now.
bool begin_write(Transfer& transfer) {
  const NetworkCtsLine& answer = transfer.answer;
  const std::int64_t bytes =
      std::min<std::int64_t>(answer.write_bytes, answer.offset + answer.bytes - transfer.next);
  Write* write = std::find_if(transfer.writes, transfer.writes + writes_at_once,
                              [](const Write& one) { return !one.busy; });
  const char* data = data_of(transfer, *write, bytes);
  if (!data) return false;
  write->transfer = &transfer;
  write->done = written;
  const Started started = network.endpoint().write(
      link_of(*transfer.peer).peer().address, data, static_cast<std::size_t>(bytes),
      write->packed ? write->memory.description : transfer.memory.description,
      answer.address + static_cast<std::uint64_t>(transfer.next - answer.offset), answer.key,
      answer.receive, *write);
  if (started == Started::later) return false;
  if (started == Started::failed) {
    transfer.error = MPI_ERR_OTHER;
    return true;
  }
  write->busy = true;
  ++transfer.writing;
  transfer.next += bytes;
  return true;
}

bool advance(Transfer& transfer) {
  bool any = false;
  while (!transfer.error && transfer.writing < writes_at_once &&
         transfer.next < transfer.answer.offset + transfer.answer.bytes) {
    if (!begin_write(transfer)) break;
    any = true;
  }
  return any;
}

std::int32_t writes_for(std::int64_t bytes) {
  return static_cast<std::int32_t>((bytes + write_bytes - 1) / write_bytes);
}

// Makes the present part of a receive ready to be written into.
Error open_part(Transfer& transfer) {
  Request& receive = *transfer.request;
  const bool direct = receive.datatype->contiguous;
  transfer.end = direct ? receive.bytes : std::min(receive.bytes, transfer.begin + bounce_bytes);
  const std::int64_t bytes = transfer.end - transfer.begin;
  transfer.writes_left = writes_for(bytes);
  if (bytes == 0 || transfer.memory.region) return MPI_SUCCESS;
  void* memory = static_cast<char*>(receive.buffer) + transfer.begin;
  if (!direct) memory = transfer.bounce = static_cast<char*>(std::malloc(bounce_bytes));
  if (!memory) return fail(MPI_ERR_NO_MEM, "no memory to unpack a message from the network");
  return network.endpoint().register_target(
      memory, static_cast<std::size_t>(direct ? bytes : bounce_bytes), transfer.memory);
}

void end_receive(Transfer& transfer) {
  Request& receive = *transfer.request;
  const Error error = transfer.error;
  close_transfer(transfer);
  set_outstanding(receive, 0);
  complete(receive, receive.error ? receive.error : error);
}

// What came with the envelope.
void take_head(Transfer& transfer, const char* head, std::int64_t bytes) {
  Request& receive = *transfer.request;
  transfer.begin = std::min(receive.bytes, bytes);
  if (receive.datatype->contiguous)
    std::memcpy(receive.buffer, head, static_cast<std::size_t>(transfer.begin));
  else
    datatype::unpack(*receive.datatype, receive.buffer, 0, head, transfer.begin);
}

// Asks for the next part.
void ask(Transfer& transfer) {
  if (Error error = open_part(transfer)) {
    transfer.error = error;
    transfer.request->bytes = 0;
    transfer.begin = transfer.end = 0;  // nothing comes: the sender is let go
  }
  transfer.request->slot = transfer.number;
  submit(*transfer.peer, *transfer.request);
}

// Begins to write where the receiver has said.
void begin_part(Transfer& transfer, const NetworkCtsLine& answer) {
  Request& send = *transfer.request;
  send.stage = Stage::streaming;
  transfer.answer = answer;
  const bool first = !std::exchange(transfer.answered, true);
  if (first && answer.bytes > 0 && send.datatype->contiguous)
    transfer.error = network.endpoint().register_source(
        send.buffer, static_cast<std::size_t>(answer.limit), transfer.memory);
  if (!transfer.listed) {
    platform::Guard guard(transfers.lock);
    transfer.listed = true;
    transfer.following = transfers.writing;
    transfers.writing = &transfer;
  }
  // Another thread may make progress: it goes on with what is listed.
  if (platform::threads_multiple) return;
  advance(transfer);
  if (is_over(transfer)) end_send(transfer);
}

}  // namespace

bool put_network_rts(Peer& peer, Request& send) {
  Transfer* transfer = open_transfer(peer, send, true);
  if (!transfer) return false;
  NetworkRtsLine line{send.bytes, transfer->number, 0, {}};
  if (send.datatype->contiguous) {
    line.head_bytes = static_cast<std::uint32_t>(
        std::min(network.bytes_before_write(send.buffer), static_cast<std::size_t>(send.bytes)));
    std::memcpy(line.head, send.buffer, line.head_bytes);
  }
  const lockfree::Envelope envelope{send.context, send.tag};
  send.stage = Stage::offered;
  send.slot = transfer->number;
  transfer->next = line.head_bytes;
  platform::add_shared(engine.network_sends, 1u);
  set_outstanding(send, send.bytes);
  if (!put_line(peer, LineKind::network_rts, send.source, envelope, &line, sizeof line)) {
    set_outstanding(send, 0);
    platform::add_shared(engine.network_sends, ~0u);
    close_transfer(*transfer);
    return false;
  }
  // Its receiver may have answered, and another thread gone on with it, unless an advert answers.
  KnownAdverts& known = peer.adverts->known;
  const NetworkAdvertLine* matched = known.find(envelope);
  const NetworkAdvertLine advert = matched ? *matched : NetworkAdvertLine{};
  known.sent(envelope, line.send, matched);
  if (matched) write_to_advertised(peer, line.send, advert);
  return true;
}

void write_to_advertised(const Peer& peer, std::uint32_t send, const NetworkAdvertLine& advert) {
  Transfer* transfer = find_transfer(send, true);
  if (!transfer && loss_of(peer.process)) return;
  BATON_INVARIANT(transfer && transfer->peer == &peer && !transfer->answered);
  const std::int64_t limit = std::min(transfer->request->bytes, advert.bytes);
  begin_part(*transfer, {.address = advert.address + static_cast<std::uint64_t>(transfer->next),
                         .key = advert.key,
                         .offset = transfer->next,
                         .bytes = limit - transfer->next,
                         .limit = limit,
                         .send = send,
                         .receive = advert.receive,
                         .write_bytes = write_bytes});
}

bool open_advertised(Peer& sender, Request& receive, NetworkAdvertLine& line) {
  Transfer* transfer = open_transfer(sender, receive, false);
  if (!transfer) return false;
  if (open_part(*transfer) != MPI_SUCCESS) {
    close_transfer(*transfer);
    return false;
  }
  transfer->unmatched = true;
  transfer->writes_left = 0;
  receive.slot = transfer->number;
  line.address = transfer->memory.address;
  line.key = transfer->memory.key;
  line.receive = transfer->number;
  return true;
}

void close_advertised(const Request& receive) {
  Transfer* transfer = find_transfer(receive.slot, false);
  BATON_INVARIANT(transfer && transfer->unmatched && transfer->writes_left == 0);
  close_transfer(*transfer);
}

void accept_written(Request& receive, const UnexpectedMessage& unexpected) {
  Transfer& transfer = *find_transfer(receive.slot, false);
  transfer.advert = static_cast<std::uint32_t>(std::exchange(receive.advert, 0));
  transfer.unmatched = false;
  transfer.send = static_cast<std::uint32_t>(unexpected.offer);
  receive.stage = Stage::streaming;
  set_outstanding(receive, receive.bytes);
  count_message(*transfer.peer, Way::receiver_initiated, receive.bytes);
  take_head(transfer, unexpected.payload(), unexpected.early_bytes);
  transfer.memory.address += static_cast<std::uint64_t>(transfer.begin);
  transfer.end = receive.bytes;
  transfer.writes_left += writes_for(transfer.end - transfer.begin);
  if (transfer.writes_left == 0) end_receive(transfer);
}

void ask_for_refused(const Peer& peer, std::uint32_t first) {
  for (std::uint32_t i = 0; i < platform::load_shared(transfers.size); ++i) {
    Transfer* transfer = find_transfer(i, false);
    if (!transfer || transfer->peer != &peer || transfer->advert == 0 ||
        transfer->advert - first > ~0u / 2)
      continue;
    transfer->advert = 0;
    ask(*transfer);
  }
}

bool put_network_cts(Peer& peer, Request& receive) {
  Transfer& transfer = *find_transfer(receive.slot, false);
  const NetworkCtsLine line{transfer.memory.address, transfer.memory.key,
                            transfer.begin,          transfer.end - transfer.begin,
                            receive.bytes,           transfer.send,
                            transfer.number,         static_cast<std::uint32_t>(write_bytes)};
  receive.stage = Stage::streaming;
  if (!put_line(peer, LineKind::network_cts, 0, {0, 0}, &line, sizeof line)) return false;
  if (transfer.begin == receive.bytes) end_receive(transfer);
  return true;
}

void fail_network_receive(Request& receive, Error error) {
  Transfer& transfer = *find_transfer(receive.slot, false);
  transfer.error = error;
  end_receive(transfer);
}

void fail_transfers(Process process) {
  for (std::uint32_t i = 0; i < platform::load_shared(transfers.size); ++i) {
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

void accept_over_network(const UnexpectedMessage& unexpected, Request& receive) {
  if (receive.advert) return accept_advertised(receive, unexpected);
  Peer& peer = *contact(unexpected.process);
  Transfer* transfer = open_transfer(peer, receive, false);
  BATON_INVARIANT(transfer != nullptr);
  transfer->send = static_cast<std::uint32_t>(unexpected.offer);
  if (unexpected.early_bytes > 0)
    take_head(*transfer, unexpected.payload(), unexpected.early_bytes);
  set_outstanding(receive, receive.bytes);
  count_message(peer, Way::network_write, receive.bytes);
  ask(*transfer);
}

void arrive_network_cts(const Peer& peer, const NetworkCtsLine& line) {
  Transfer* transfer = find_transfer(line.send, true);
  // The first part begins behind what the envelope has brought.
  if (transfer && !transfer->answered) transfer->next = line.offset;
  BATON_INVARIANT(transfer && transfer->peer == &peer && line.offset == transfer->next &&
                  line.limit <= transfer->request->bytes && line.write_bytes <= write_bytes);
  begin_part(*transfer, line);
}

void arrive_network_write(std::uint32_t receive) {
  Transfer* transfer = find_transfer(receive, false);
  // Its sender was lost meanwhile, and it has ended.
  if (!transfer && has_lost_peers()) return;
  BATON_INVARIANT(transfer && (transfer->writes_left > 0 || transfer->unmatched));
  if (--transfer->writes_left != 0 || transfer->unmatched) return;
  Request& request = *transfer->request;
  if (transfer->bounce)
    datatype::unpack(*request.datatype, request.buffer, transfer->begin, transfer->bounce,
                     transfer->end - transfer->begin);
  transfer->begin = transfer->end;
  if (transfer->end == request.bytes) return end_receive(*transfer);
  ask(*transfer);
}

void end_cancelled_send(std::uint32_t number, Process receiver) {
  Transfer* transfer = find_transfer(number, true);
  if (!transfer || transfer->peer->process != receiver) return;
  transfer->request->cancelled = true;
  transfer->request->bytes = 0;
  end_send(*transfer);
}

namespace {

Transfer* first_writing() {
  platform::Guard guard(transfers.lock);
  return transfers.writing;
}

}  // namespace

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

void forget_transfers() {
  for (std::uint32_t i = 0; i < transfers.size; ++i)
    if (transfers.all[i]) close_transfer(*transfers.all[i]);
  std::free(transfers.all);
  transfers.all = nullptr;
  transfers.size = transfers.lowest = 0;
}

}  // namespace baton::message
