#include "transport/network/network_link.hpp"

#include <cstring>

#include "base/report.hpp"
#include "platform/clock.hpp"
#include "platform/copy.hpp"

namespace baton::transport::network {

namespace {

// Makes the header of a message in a packet: it is never 0, and has its payload's length, whatever
// its kind.
PacketMessage message_of(Header header, Envelope envelope, std::size_t bytes) {
  const auto length = static_cast<std::uint64_t>(bytes) << Header::bytes_bit;
  return {{header.bits | length | lockfree::first_lap}, envelope};
}

}  // namespace

Error NetworkLink::begin() {
  peer_ = network().meet(process_);
  return peer_ ? MPI_SUCCESS : last_explanation().error_class;
}

bool NetworkLink::put(Header header, Envelope envelope, const void* payload, std::size_t bytes) {
  return put(header, envelope, payload, bytes, Together::never);
}

bool NetworkLink::put(Header header, Envelope envelope, const void* payload, std::size_t bytes,
                      Together together) {
  return network().put(*peer_, message_of(header, envelope, bytes), payload, bytes, together) ==
         Started::yes;
}

bool NetworkLink::put_in_place(Header header, Envelope envelope, const void* payload,
                               std::size_t bytes, PacketEnds& ends, Operation& operation) {
  return network().put_in_place(*peer_, message_of(header, envelope, bytes), payload, bytes, ends,
                                operation) == Started::yes;
}

void NetworkLink::set_envelopes_only(bool on) {
  if (!peer_ && begin() != MPI_SUCCESS) return;
  // The peer is told at the next look at the network: this caller does not hold the lock that
  // sending needs.
  network().set_wish(*peer_, wish_envelopes_only, on);
}

void NetworkInbox::tell_fault(PacketFault fault, std::uint32_t sender) {
  constexpr std::uint32_t told_max = 3;
  if (faults_told_++ >= told_max) return;
  const char* what = fault == PacketFault::unproven      ? "without this job's key"
                     : fault == PacketFault::too_short   ? "shorter than its header"
                     : fault == PacketFault::out_of_turn ? "that came before"
                                                         : "that does not hold what it says";
  report(
      "a packet %s came from the network (it names rank %u); it is dropped. Another program "
      "sends to this rank's port, or the way there changes packets",
      what, sender);
}

bool NetworkInbox::open_packet(ReceiveBuffer& buffer) {
  PacketHeader header{};
  PacketFault fault = PacketFault::too_short;
  if (buffer.bytes >= sizeof header) {
    std::memcpy(&header, buffer.packet, sizeof header);
    peer_ = network().find_sender(header.sender);
    fault = peer_ ? check_packet(buffer.packet, buffer.bytes, peer_->in_key, peer_->next_in)
                  : PacketFault::unproven;
  }
  const bool is_proven = fault == PacketFault::none || fault == PacketFault::out_of_turn;
  if (BATON_UNLIKELY(is_proven && is_greeting(header))) {
    if (!peer_->dropped) network().hear(*peer_, header);
    network().endpoint().give_back(buffer);
    return false;
  }
  if (fault == PacketFault::out_of_turn && header.number > peer_->next_in) {
    buffer.next = peer_->early;
    peer_->early = &buffer;
    return false;
  }
  if (BATON_UNLIKELY(peer_ && peer_->dropped)) {
    network().endpoint().give_back(buffer);
    return false;
  }
  if (BATON_UNLIKELY(fault != PacketFault::none)) {
    // A process of another job may not know yet that this one has forgotten it.
    if (!network().knows_others() || network().is_of_own_job(header.sender))
      tell_fault(fault, header.sender);
    network().endpoint().give_back(buffer);
    return false;
  }
  if (BATON_UNLIKELY(peer_->next_in++ == 0)) network().hear(*peer_, header);
  platform::store_shared(peer_->its_wishes, header.wishes);
  peer_->its_channel.hear(header.channel, platform::now_ns);
  packet_ = &buffer;
  sender_ = header.sender;
  at_ = sizeof header + header.skip;
  end_ = buffer.bytes;
  return true;
}

// Makes the next packet that is whole and in turn the present one.
bool NetworkInbox::next_packet() {
  if (packet_) {
    network().endpoint().give_back(*packet_);
    packet_ = nullptr;
    // A packet that came before its turn may be due now.
    for (ReceiveBuffer** link = &peer_->early; *link; link = &(*link)->next) {
      PacketHeader header;
      std::memcpy(&header, (*link)->packet, sizeof header);
      if (header.number != peer_->next_in) continue;
      ReceiveBuffer* due = *link;
      *link = due->next;
      return open_packet(*due);
    }
  }
  while (ReceiveBuffer* buffer = network().endpoint().next_packet())
    if (open_packet(*buffer)) return true;
  return false;
}

Header NetworkInbox::peek() {
  // Who is lost may have been found so with a part of its packet still to be read.
  while (!packet_ || at_ == end_ || peer_->dropped)
    if (!next_packet()) return {};
  std::memcpy(&message_, packet_->packet + at_, sizeof message_);
  return message_.header;
}

void NetworkInbox::read(void* target, std::size_t wanted) const {
  platform::copy_run(target, payload(),
                     wanted < message_.header.bytes() ? wanted : message_.header.bytes());
}

const void* NetworkInbox::payload() const {
  return packet_->packet + at_ + sizeof message_;
}

void NetworkInbox::take(void* target, std::size_t wanted, std::size_t) {
  if (wanted) platform::copy_run(target, payload(), wanted);
  at_ += packet_message_bytes(message_.header.bytes());
}

void NetworkInbox::forget() {
  packet_ = nullptr;
  peer_ = nullptr;
}

void NetworkInbox::drop_packet_of(Process process) {
  if (!packet_ || sender() != process) return;
  network().endpoint().give_back(*packet_);
  forget();
}

}  // namespace baton::transport::network
