// Messages to and from peers on other nodes: eager ones go with their envelope, longer ones are
// written straight into the receive buffer once it is known (RTS, CTS, remote writes). Called by
// the rendezvous and the progress loop where a peer is elsewhere. Only there: a job of one node
// never comes here.
#pragma once

#include "message/core/protocol.hpp"
#include "transport/network/choose_provider.hpp"

namespace baton::message {

// A sender's envelope: its data waits for its receiver's answer.
struct NetworkRtsLine {
  std::int64_t bytes;
  std::uint32_t send;        // the sender's number of it
  std::uint32_t head_bytes;  // its first ones, which are here: the rest is copied more quickly then
  char head[48];
};
// A receiver's answer: where a part of the message, or all of it, goes.
struct NetworkCtsLine {
  std::uint64_t address;
  std::uint64_t keys[transport::network::rails_max];  // for each of the receiver's interfaces
  std::int64_t offset;                                // of the part, in the message
  std::int64_t bytes;                                 // of the part
  std::int64_t limit;  // of the message, as far as the receiver wants it
  std::uint32_t send;
  std::uint32_t receive;      // the receiver's number, told with each write
  std::uint32_t write_bytes;  // of each write but the last
  std::int32_t rails;         // so many keys
};

// Ends the job after a message was lost that its send took for sent; explained. Set by who can.
extern void (*end_after_lost_message)();

// Opens the network and introduces this process to the others. `one_machine`: all ranks are here.
Error start_network();
void stop_network();

// What messages to other nodes go over, and why it was taken, in words.
void describe_network(char* text, std::size_t bytes);

// The link of a peer on another node.
transport::Link* make_network_link(Process process);

// `put` of the protocol, for such a peer.
bool put_over_network(Peer& peer, Request& request);
// What a peer's lines say.
void accept_over_network(const UnexpectedMessage& unexpected, Request& receive);
void arrive_network_cts(const Peer& peer, const NetworkCtsLine& line);

// MPI_Cancel of such a send, whose envelope has left, or of a receive that its sender knows: asks
// the other to give it back. The request ends when that says so, or with the message.
void ask_to_cancel(Request& send);
void ask_to_withdraw(Request& receive);

// outstanding.hpp, of a process on another node: what it has told last; and telling it ours.
lockfree::ChannelClass channel_over_network(Process process);
void tell_channel_over_network(Process process);

// Takes in what has come and goes on with what is on its way; whether anything happened.
bool poll_network();
// Whether all that was sent has left.
bool network_is_idle();
// Whether something is on its way out that needs this process to look at the network.
bool network_is_sending();
// Whether this process does not end before all have met: until then all that was sent leaves. Else
// it has to be told of each packet that it has left.
void expect_to_meet_at_the_end(bool expected);
// Whether peers may be gone from now on, since all of them have come to their end.
void expect_peers_to_leave(bool expected);

}  // namespace baton::message
