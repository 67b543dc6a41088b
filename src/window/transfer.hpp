// Long data, and all that is got, between ranks of a window that cannot reach each other's memory:
// a message on the window's communicator, straight from buffer to buffer, which an active message
// announces (remote_message.hpp). Nothing waits before a flush. This is the origin's side, used by
// remote.cpp and gather.cpp; the target's is in transfer_target.hpp.
#pragma once

#include "transport/network/exposed_memory.hpp"
#include "window/place.hpp"
#include "window/transfer_list.hpp"

namespace baton::window {

// Data of accumulates goes in pieces of so much. Guess.
inline constexpr std::int64_t accumulate_piece_bytes = 1 << 18;

// What this rank has begun of a window, and there at a target (null: at all), until now. What other
// threads begin later may not be over when these are.
class BegunTransfers {
 public:
  // `accesses_only`: those by the provider alone.
  BegunTransfers(const Window& window, const Target* target, bool accesses_only);
  bool are_over() const;
  // When they are. Gives the error of the last that failed.
  Error forget() const;

 private:
  bool has(const Transfer& transfer) const;

  const Window& window_;
  const Target* target_;
  bool accesses_only_;
  std::uint32_t last_;
};
// Whether there are any. With threads the list's lock says so: what another thread has taken off it
// must be seen here, too.
bool has_begun_transfers();
// How many, of all windows.
std::uint32_t transfers_begun();

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

}  // namespace baton::window
