// Transfers move long data, and all data that is got, between ranks of a window that cannot reach
// each other's memory. A transfer is a message on the window's communicator, straight from buffer
// to buffer, which an active message announces (remote_message.hpp). Nothing waits before a flush.
// This is the origin's side, used by remote.cpp and gather.cpp; the target's is in
// transfer_target.hpp.
#pragma once

#include "window/place.hpp"
#include "window/transfer_list.hpp"

namespace baton::window {

// The data of accumulates goes in parts of this size. Guess.
inline constexpr std::int64_t accumulate_part_bytes = 1 << 18;

// These are all transfers that this rank has begun and not forgotten yet.
class BegunTransfers {
 public:
  // Returns whether there are any. With threads it takes the list's lock: the effects of a transfer
  // that another thread has taken off must be seen here, too.
  bool any() const { return platform::threads_multiple || list_.first; }
  std::uint32_t count() const { return platform::load_shared(count_); }

  // Returns the number under which the next transfer is to be announced.
  std::uint32_t next_number() { return platform::add_shared(numbers_given_, 1u); }
  // Begins to send or to receive data that an active message announces under the number. Error:
  // MPI_ERR_NO_MEM.
  [[nodiscard]] Error begin(Window& window, int rank, std::uint32_t number, const Data& data,
                            bool gets);
  // Notes a transfer that has begun.
  void note(Transfer& transfer);
  // Waits until our accesses there without its help are over. It is called before the target is
  // told anything that frees its memory for others.
  void await_accesses(const Window& window, const Target& target);
  // Makes what waits for answers until finish_transfers; null: no memory. It is not over until the
  // caller has asked for all and takes Expected::asking off.
  // With `scattered` it has places for its data, none so far.
  Expected* expect_answer(Window& window, int rank, bool scattered);

 private:
  friend class TransfersUntilNow;
  platform::Lock lock_;
  message::List<Transfer> list_;  // in the order in which they began
  std::uint32_t count_ = 0;
  std::uint32_t last_ = 0;  // the number of the last in the list
  std::uint32_t numbers_given_ = 0;
};

// These are the transfers of a window that this rank has begun until now, at one target or (null)
// at all. Those that other threads begin later may not be over when these are.
class TransfersUntilNow {
 public:
  // `accesses_only` takes only those that need no help of the target.
  TransfersUntilNow(BegunTransfers& all, const Window& window, const Target* target,
                    bool accesses_only);
  bool are_over() const;
  // Forgets them when they are over. Returns the error of the last one that failed.
  Error forget() const;

 private:
  bool has(const Transfer& transfer) const;

  BegunTransfers& all_;
  const Window& window_;
  const Target* target_;
  bool accesses_only_;
  std::uint32_t last_;
};

}  // namespace baton::window
