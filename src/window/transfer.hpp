// Long data, and all that is got, between ranks of a window that cannot reach each other's memory:
// a message on the window's communicator, straight from buffer to buffer, which an active message
// announces (remote_message.hpp). Nothing waits before a flush. Used by remote.cpp (origins) and
// remote_target.cpp.
// Invariant: a flush is answered when all data from that origin is where it belongs; accumulates
// are applied in the order of their announcements.
#pragma once

#include "transport/network/exposed_memory.hpp"
#include "window/remote_message.hpp"

namespace baton::window {

// Data of accumulates goes in pieces of so much. Guess.
inline constexpr std::int64_t accumulate_piece_bytes = 1 << 18;

// --- the origin

// Only so many are on their way at a time; waits for those before if need be.
[[nodiscard]] Error make_room_for_transfer(Window& window);
// The number of the next one.
std::uint32_t next_transfer();
// Begins to send or to receive data that an active message announces under the number.
// MPI_ERR_NO_MEM.
[[nodiscard]] Error begin_transfer_to(Window& window, int rank, std::uint32_t number,
                                      const Data& data);
[[nodiscard]] Error begin_transfer_from(Window& window, int rank, std::uint32_t number,
                                        const Data& data);
// The same by the provider alone, which nobody announces. MPI_ERR_NO_MEM: it has to go another way.
[[nodiscard]] Error begin_access_of(Window& window, int rank, bool writes, const Data& data,
                                    const transport::network::RemoteMemory& there);
// Until what the provider alone does there is over: before the target is told anything that frees
// its memory for others. Errors wait for finish_transfers.
void await_accesses(const Window& window, const Target& target);
// What answers bring that nothing waits for before finish_transfers; null: no memory. One answer
// counts as still to come until the caller has asked for all and takes it off.
// With `scattered` it has places for its data, none so far.
Expected* expect_answer(Window& window, int rank, bool scattered);

// --- the target, in its progress

struct Announcement {
  RemoteHeader header;  // whose number is the transfer's
  RemotePiece piece;
  Window* window;
  int rank;  // the origin's
};
// Each takes what it is about, or where that is refused the data, which goes nowhere; of what was
// to be got nothing is sent then. The error is for the origin's next flush.
Error receive_put(const Announcement& announcement, bool refuse);
Error receive_accumulate(const Announcement& announcement, bool refuse);
void send_got(const Announcement& announcement, bool refuse);
// Whether nothing of this origin is on its way; when that is so, `end` is called.
bool is_idle(const Window& window, int rank);
void await_idle(const Incoming& incoming, void (*end)(const Incoming&));

}  // namespace baton::window
