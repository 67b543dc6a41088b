// Messages that are written by their sender into the receiver's buffer, each side's by its number.
// Used by send.cpp, receive.cpp.
#pragma once

#include "message/network/rendezvous.hpp"
#include "transport/network/device_registrations.hpp"
#include "transport/network/network_link.hpp"

namespace baton::message {

inline constexpr std::int64_t write_bytes_max = 1 << 20;  // guess: short messages come in between
inline constexpr int writes_at_once = 4;                  // guess; over one interface
inline constexpr int writes_at_once_max = 8;              // guess; over several

struct Rendezvous;

// A write under way, and where its data was packed, if it has gaps.
struct Write : transport::network::Operation {
  Rendezvous* rendezvous = nullptr;
  char* packed = nullptr;
  transport::network::Registration memory;  // of that
  int rail = 0;                             // the receiver's interface
  bool busy = false;
};

// Either side of a message.
struct Rendezvous {
  Request* request = nullptr;
  RemotePeer* peer = nullptr;
  std::uint32_t number = 0;
  bool outgoing = false;
  bool listed = false;    // among those that want to write
  bool on_rails = false;  // over further interfaces, too
  Error error = MPI_SUCCESS;
  char* data = nullptr;  // ours, a run that the network reads or writes; null: it is packed
  transport::network::RailRegistrations memory;              // ours
  transport::network::DeviceRegistration* device = nullptr;  // whose it is; null: the host's
  // The state of a send.
  NetworkCtsLine answer{};  // the last
  std::int64_t next = 0;    // to be written
  int writing = 0;
  int writing_on[transport::network::rails_max] = {};
  std::uint32_t rails = 1;  // the receiver's that are used, as bits
  bool answered = false;
  bool doomed = false;  // taken back, since its communicator can do nothing more
  Write writes[writes_at_once_max];
  // The state of a receive.
  std::uint32_t send = 0;           // its number
  std::int64_t begin = 0, end = 0;  // of the present part
  std::int32_t writes_left = 0;     // below 0: came before what they belong to
  std::uint32_t advert = 0;         // its number, if it was advertised
  bool unmatched = false;           // still
  char* bounce = nullptr;
  Rendezvous* following = nullptr;  // of those that want to write
};

// Null without memory.
Rendezvous* open_rendezvous(RemotePeer& peer, Request& request, bool outgoing);
// Null: there is none, on this side, of that number.
Rendezvous* find_rendezvous(std::uint32_t number, bool outgoing);
// The number of places that have been in use, and who has one of them now; null: nobody.
std::uint32_t rendezvous_places();
Rendezvous* rendezvous_at(std::uint32_t place);
void close_rendezvous(Rendezvous& rendezvous);
// Has the network reach a message's data in device memory where it can. Returns why not, or none if
// it can, or the data is no device's.
Reason find_device(Rendezvous& rendezvous);
// Does the same, and counts why not.
void reach_device(Rendezvous& rendezvous);
// Each rendezvous that wants to write is listed.
void list_writing(Rendezvous& rendezvous);
Rendezvous* first_writing();

// In what parts so much is written over so many interfaces: both sides know.
std::int64_t write_bytes_of(std::int64_t bytes, int rails);

// Ends a request with what became of it; its rendezvous is over.
void end_send(Rendezvous& rendezvous);
void end_receive(Rendezvous& rendezvous);
// Returns whether nothing more is to be written, and nothing is under way.
bool is_over(const Rendezvous& rendezvous);

inline transport::network::NetworkPeer& network_peer(const Rendezvous& rendezvous) {
  return rendezvous.peer->link.peer();
}

}  // namespace baton::message
