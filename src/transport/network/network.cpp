#include "transport/network/network.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "platform/host_identity.hpp"
#include "platform/leak_checker.hpp"
#include "platform/memory_file.hpp"
#include "platform/random.hpp"
#include "transport/network/kernel_copy.hpp"
#include "transport/network/offers.hpp"

namespace baton::transport::network {

namespace {

constinit Network the_one;

// Senders wait when this many packets that are copied are on their way out.
constexpr std::uint32_t send_buffers_max = 128;  // guess
// This many packets may come before the first is taken. Further ones wait at their senders.
constexpr std::size_t receive_buffers = 8;  // guess

}  // namespace

constinit Network* own_network = &the_one;

Error Network::open_endpoint(bool one_machine) {
  nonce_ = platform::random_word();
  if (Error error = library_.open()) return error;
  TakenOffers offers;
  if (Error error = take_offers(library_, one_machine, offers)) return error;
  reason_ = offers.reason;
  Error error = endpoint().open(library_, std::exchange(offers.each[0], nullptr), receive_buffers);
  if (!error) open_further(offers);
  for (fi_info* left : offers.each)
    if (left) library_.freeinfo(left);
  if (!error) in_place_ = endpoint().gathers();
  return error;
}

NetworkAddress Network::own_address() const {
  NetworkAddress network_address{endpoints_[0].address(), nonce_, {}, {}};
  platform::host_name(network_address.host, sizeof network_address.host);
  for (int rail = 1; rail < rails_; ++rail) {
    const Address& address = endpoints_[rail].address();
    RailAddress& told = network_address.further[rail - 1];
    told.subnet = subnets_[rail];
    told.bytes = address.bytes;
    std::memcpy(told.raw, address.raw, address.bytes);
  }
  return network_address;
}

Error Network::begin(std::uint32_t processes, std::uint32_t processes_max, Process self,
                     Key job_key, FindNetworkAddress find_network_address, LostPacket lost_packet) {
  // Address space for all that there may be, so that the table grows without moving.
  peers_ = static_cast<NetworkPeer**>(
      platform::make_private_memory(processes_max * sizeof(NetworkPeer*), page_bytes));
  if (!peers_) return fail(MPI_ERR_NO_MEM, "no memory for the list of network peers");
  platform::register_pointers(peers_, processes_max * sizeof(NetworkPeer*));
  processes_ = peers_end_ = processes;
  processes_max_ = processes_max;
  self_ = self;
  job_key_ = job_key;
  find_address_ = find_network_address;
  lost_packet_ = lost_packet;
  return MPI_SUCCESS;
}

void Network::close() {
  while (free_buffers_) {
    SendBuffer* buffer = free_buffers_;
    free_buffers_ = buffer->next;
    endpoint().forget(buffer->registered);
    delete buffer;
  }
  for (Endpoint& endpoint : endpoints_) endpoint.close();
  rails_ = 1;
  for (std::uint32_t i = 0; peers_ && i < peers_end_; ++i) delete peers_[i];
  if (peers_) {
    platform::unregister_pointers(peers_, processes_max_ * sizeof(NetworkPeer*));
    platform::unmap_memory(peers_, processes_max_ * sizeof(NetworkPeer*));
  }
  peers_ = nullptr;
  first_filling_ = nullptr;
  knows_others_ = false;
  buffers_made_ = buffers_out_ = wishes_due_ = busy_ = 0;
  injects_ = false;
}

NetworkPeer* Network::meet(Process process) {
  platform::Guard guard(peers_lock_);
  NetworkPeer*& peer = peers_[number_of(process)];
  if (peer) return peer;
  const NetworkAddress* network_address = find_address_(process);
  if (!network_address) {
    (void)fail(MPI_ERR_OTHER, "no address to contact rank %u over the network", number_of(process));
    return nullptr;
  }
  return make_peer(process, *network_address, job_key_, number_of(self_));
}

NetworkPeer* Network::make_peer(Process process, const NetworkAddress& network_address, Key key,
                                std::uint32_t own_number) {
  auto* made = new (std::nothrow) NetworkPeer;
  if (!made) {
    (void)fail(MPI_ERR_NO_MEM, "no memory to contact rank %u over the network", number_of(process));
    return nullptr;
  }
  if (endpoint().add_peer(network_address.address, &made->address) != MPI_SUCCESS) {
    delete made;
    return nullptr;
  }
  made->process = process;
  made->own_number = own_number;
  made->is_met.store(!endpoint().connects(), std::memory_order_relaxed);  // relaxed: see may_send
  made->out_key = pair_key(key, nonce_, network_address.nonce);
  made->in_key = pair_key(key, network_address.nonce, nonce_);
  find_rails(*made, network_address);
  // ORDER network.peers: release here, acquire in known.
  std::atomic_ref(peers_[number_of(process)]).store(made, std::memory_order_release);
  return made;
}

Error Network::introduce(Process process, const NetworkAddress& network_address, Key key,
                         std::uint32_t own_number) {
  platform::Guard guard(peers_lock_);
  if (!make_peer(process, network_address, key, own_number)) return last_explanation().error_class;
  peers_end_ = std::max(peers_end_, number_of(process) + 1);
  // The process may end before what the provider has copied has left: so from now on each packet
  // says when it has.
  knows_others_ = true;
  injects_ = false;
  return MPI_SUCCESS;
}

void Network::forget(Process process) {
  NetworkPeer* peer = known(process);
  if (!peer) return;
  lose(*peer, FI_ESHUTDOWN);
  // ORDER network_peer.wishes: acquire here, release in must_tell.
  if (peer->wishes_due.exchange(false, std::memory_order_acquire))
    platform::add_shared(wishes_due_, ~0u);
  while (ReceiveBuffer* buffer = peer->early) {
    peer->early = buffer->next;
    endpoint().give_back(*buffer);
  }
  platform::Guard guard(peers_lock_);
  // relaxed: whoever could ask for this process holds its group.
  std::atomic_ref(peers_[number_of(process)]).store(nullptr, std::memory_order_relaxed);
  delete peer;
}

NetworkPeer* Network::find_sender(std::uint32_t sender) {
  if (BATON_UNLIKELY(sender >= processes_))
    return sender < peers_end_ ? peers_[sender] : nullptr;  // of another job, met before
  if (sender == number_of(self_)) return nullptr;
  NetworkPeer* peer = peers_[sender];
  return BATON_LIKELY(peer != nullptr) ? peer : meet(static_cast<Process>(sender));
}

void Network::write_header(NetworkPeer& peer, char* packet, std::size_t bytes,
                           std::size_t skip) const {
  PacketHeader header{};
  header.number = peer.next_out;
  header.sender = peer.own_number;
  header.bytes = static_cast<std::uint32_t>(bytes);
  // relaxed: it does not matter which of two wishes a packet tells; a packet for the last one
  // follows.
  header.wishes = peer.our_wishes.load(std::memory_order_relaxed);
  header.channel = lockfree::look_at_channel(*own_channel_);
  peer.told_channel.store(header.channel, std::memory_order_relaxed);  // relaxed: a hint
  header.skip = static_cast<std::uint16_t>(skip);
  header.proof = proof_of(peer.out_key, header);
  std::memcpy(packet, &header, sizeof header);
}

Started Network::sent(NetworkPeer& peer, Started started) {
  if (started == Started::yes) ++peer.next_out;
  if (started == Started::failed) peer.lost = endpoint().last_error();
  return started;
}

void Network::buffer_sent(Operation& operation, int error) {
  auto& buffer = static_cast<SendBuffer&>(operation);
  if (BATON_UNLIKELY(error != 0) && buffer.peer)
    network().lost_packet_(buffer.peer->process, error);
  network().keep(buffer);
}

void Network::keep(SendBuffer& buffer) {
  platform::Guard guard(buffers_lock_);
  buffer.next = free_buffers_;
  free_buffers_ = &buffer;
  platform::add_shared(buffers_out_, ~0u);
}

SendBuffer* Network::take_buffer(NetworkPeer& peer) {
  platform::Guard guard(buffers_lock_);
  if (SendBuffer* buffer = free_buffers_) {
    free_buffers_ = buffer->next;
    buffer->peer = &peer;
    platform::add_shared(buffers_out_, 1u);
    return buffer;
  }
  if (buffers_made_ == send_buffers_max) return nullptr;
  auto* buffer = new (std::nothrow) SendBuffer;
  if (!buffer) return nullptr;
  buffer->done = buffer_sent;
  buffer->peer = &peer;
  if (endpoint().register_source(buffer->packet, sizeof buffer->packet, buffer->registered) !=
      MPI_SUCCESS) {
    delete buffer;
    return nullptr;
  }
  ++buffers_made_;
  platform::add_shared(buffers_out_, 1u);
  return buffer;
}

// Returns whether a message may wait for others to go in one packet. A program that begins many
// sends to one peer without looking at the network in between will look in the end; the first few
// leave at once, since it may be computing until then.
bool Network::goes_together(NetworkPeer& peer, std::size_t whole) {
  constexpr std::uint32_t alone = 3;                // guess
  constexpr std::size_t together_bytes_max = 2048;  // guess: longer ones gain little by it
  if (const std::uint64_t looks = platform::load_shared(looks_); peer.row_look != looks) {
    peer.row_look = looks;
    peer.in_a_row = 0;
  }
  return ++peer.in_a_row > alone && whole <= together_bytes_max && !platform::threads_multiple;
}

bool Network::begin_filling(NetworkPeer& peer) {
  peer.filling = take_buffer(peer);
  if (!peer.filling) return false;
  peer.filled_bytes = 0;
  peer.next_filling = first_filling_;
  first_filling_ = &peer;
  return true;
}

Started Network::send_filled(NetworkPeer& peer) {
  if (const Started ready = may_send(peer); ready != Started::yes) return ready;
  SendBuffer* buffer = peer.filling;
  write_header(peer, buffer->packet, peer.filled_bytes);
  const iovec part{buffer->packet, sizeof(PacketHeader) + peer.filled_bytes};
  const Started started =
      sent(peer, endpoint().send(peer.address, &part, &buffer->registered.description, 1, *buffer));
  if (started == Started::later) return started;
  if (started == Started::failed) {
    lost_packet_(peer.process, peer.lost);  // its messages were reported as sent
    keep(*buffer);
  }
  end_filling(peer);
  return started;
}

void Network::end_filling(NetworkPeer& peer) {
  peer.filling = nullptr;
  NetworkPeer** link = &first_filling_;
  while (*link != &peer) link = &(*link)->next_filling;
  *link = peer.next_filling;
}

void Network::lose(NetworkPeer& peer, int error) {
  peer.lost = error;
  peer.dropped = true;
  if (!peer.filling) return;
  keep(*peer.filling);
  end_filling(peer);
}

bool Network::send_filled() {
  bool any = false;
  for (NetworkPeer* peer = first_filling_; peer;) {
    NetworkPeer* next = peer->next_filling;
    any |= send_filled(*peer) == Started::yes;
    peer = next;
  }
  return any;
}

Started Network::put(NetworkPeer& peer, const PacketMessage& message, const void* payload,
                     std::size_t bytes, Together together) {
  // At this size the packet leaves, so that the receiver begins while more messages are made.
  constexpr std::size_t filled_bytes_max = 8192;  // guess
  const std::size_t whole = packet_message_bytes(bytes);
  const bool waits = together == Together::may && goes_together(peer, whole);
  if (peer.filling && peer.filled_bytes + whole > sizeof(PacketMessage) + copied_bytes_max)
    if (const Started started = send_filled(peer); started != Started::yes) return started;
  if (!peer.filling && !(waits && begin_filling(peer)))
    return put_alone(peer, message, payload, bytes);
  char* place = peer.filling->packet + sizeof(PacketHeader) + peer.filled_bytes;
  std::memcpy(place, &message, sizeof message);
  if (bytes) std::memcpy(place + sizeof message, payload, bytes);
  peer.filled_bytes += static_cast<std::uint32_t>(whole);
  // The message is in the packet, whether that leaves now or with the next look at the network.
  if (!waits || peer.filled_bytes >= filled_bytes_max) (void)send_filled(peer);
  return Started::yes;
}

Started Network::put_alone(NetworkPeer& peer, const PacketMessage& message, const void* payload,
                           std::size_t bytes) {
  constexpr std::size_t short_bytes = 256;
  if (const Started ready = may_send(peer); ready != Started::yes) return ready;
  const std::size_t whole = packet_message_bytes(bytes);
  const std::size_t in_all = sizeof(PacketHeader) + whole;
  auto fill = [&](char* packet) {
    write_header(peer, packet, whole);
    std::memcpy(packet + sizeof(PacketHeader), &message, sizeof message);
    if (bytes) std::memcpy(packet + sizeof(PacketHeader) + sizeof message, payload, bytes);
  };
  if (in_all <= short_bytes && may_inject(in_all)) {
    alignas(8) char packet[short_bytes];
    fill(packet);
    return sent(peer, endpoint().inject(peer.address, packet, in_all));
  }
  SendBuffer* buffer = take_buffer(peer);
  if (!buffer) return Started::later;
  fill(buffer->packet);
  return send_buffer(peer, *buffer, in_all);
}

Started Network::send_buffer(NetworkPeer& peer, SendBuffer& buffer, std::size_t bytes) {
  const iovec part{buffer.packet, bytes};
  const Started started =
      endpoint().send(peer.address, &part, &buffer.registered.description, 1, buffer);
  if (started != Started::yes) keep(buffer);
  return sent(peer, started);
}

Started Network::put_wishes(NetworkPeer& peer) {
  if (peer.filling) return send_filled(peer);
  if (const Started ready = may_send(peer); ready != Started::yes) return ready;
  if (!may_inject(sizeof(PacketHeader))) {
    SendBuffer* buffer = take_buffer(peer);
    if (!buffer) return Started::later;
    write_header(peer, buffer->packet, 0);
    return send_buffer(peer, *buffer, sizeof(PacketHeader));
  }
  alignas(8) char packet[sizeof(PacketHeader)];
  write_header(peer, packet, 0);
  return sent(peer, endpoint().inject(peer.address, packet, sizeof packet));
}

void Network::set_wish(NetworkPeer& peer, std::uint8_t wish, bool on) {
  // relaxed: it is ordered by the exchange below
  if (on)
    peer.our_wishes.fetch_or(wish, std::memory_order_relaxed);
  else
    peer.our_wishes.fetch_and(static_cast<std::uint8_t>(~wish), std::memory_order_relaxed);
  must_tell(peer);
}

void Network::must_tell(NetworkPeer& peer) {
  // ORDER network_peer.wishes: release here, acquire in tell_wishes.
  if (!peer.wishes_due.exchange(true, std::memory_order_release))
    platform::add_shared(wishes_due_, 1u);
}

void Network::tell_wishes(NetworkPeer& peer) {
  // ORDER network_peer.wishes: acquire here, release in must_tell.
  if (!peer.wishes_due.exchange(false, std::memory_order_acquire)) return;
  platform::add_shared(wishes_due_, ~0u);
  if (put_wishes(peer) == Started::later) must_tell(peer);
}

void Network::tell_channel(NetworkPeer& peer) {
  constexpr int much = 2;  // guess: classes, a factor of 16
  const int told = peer.told_channel.load(std::memory_order_relaxed);  // relaxed: a hint
  if (told == NetworkPeer::nothing_told) return;
  if (std::abs(told - lockfree::look_at_channel(*own_channel_)) >= much) must_tell(peer);
}

std::size_t Network::bytes_before_write(const void* data) const {
  return endpoints_[0].is_tcp() ? bytes_ahead(data, tcp_write_header_bytes) : 0;
}

Started Network::put_in_place(NetworkPeer& peer, const PacketMessage& message, const void* payload,
                              std::size_t bytes, PacketEnds& ends, Operation& operation) {
  if (peer.filling)
    if (const Started started = send_filled(peer); started != Started::yes) return started;
  if (const Started ready = may_send(peer); ready != Started::yes) return ready;
  const std::size_t whole = packet_message_bytes(bytes);
  constexpr std::size_t before = tcp_message_header_bytes + sizeof(PacketHeader) + sizeof message;
  const std::size_t skip = endpoint().is_tcp() ? bytes_behind(payload, before) : 0;
  const std::size_t head = sizeof(PacketHeader) + skip + sizeof message;
  write_header(peer, ends.head, skip + whole, skip);
  std::memset(ends.head + sizeof(PacketHeader), 0, skip);
  std::memcpy(ends.head + sizeof(PacketHeader) + skip, &message, sizeof message);
  const std::size_t rest = whole - sizeof message - bytes;
  std::memset(ends.tail, 0, sizeof ends.tail);
  const iovec parts[] = {{ends.head, head}, {const_cast<void*>(payload), bytes}, {ends.tail, rest}};
  void* descriptions[3] = {};
  return sent(peer, endpoint().send(peer.address, parts, descriptions, rest ? 3 : 2, operation));
}

}  // namespace baton::transport::network
