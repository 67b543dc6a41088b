// This is the target's side of transfers (window/transfer.hpp), which its progress carries out, so
// one thread at a time. They are used by remote_target.cpp.
// Invariants: a flush is answered when all data from that origin is where it belongs; accumulates
// are applied in the order of their announcements; this rank's epoch ends, and its window is freed,
// after the transfers of others: data that a get has brought to its origin may still be the
// network's here.
#pragma once

#include "message/core/progress_source.hpp"
#include "window/transfer_list.hpp"

namespace baton::window {

// These are the transfers that origins have announced and that are not over yet.
class AcceptedTransfers final : public message::ProgressSource {
 public:
  // Each carries out an announced transfer; if it is to be refused, it drops the data of a put, and
  // sends nothing for a get. The error is for the origin's next flush.
  Error receive_put(const Announcement& announcement, bool refuse);
  Error receive_accumulate(const Announcement& announcement, bool refuse);
  void send_got(const Announcement& announcement, bool refuse);
  // is_idle returns whether no transfer of this origin is on its way; await_idle calls `end` when
  // that is so.
  bool is_idle(const Window& window, int rank) const;
  void await_idle(const Incoming& incoming, void (*end)(const Incoming&));
  bool advance() override;

 private:
  struct WaitingEnd {
    Incoming incoming;
    void (*end)(const Incoming&);
    WaitingEnd* next;
  };

  Transfer& accept(const Announcement& announcement);
  bool is_behind_another(const Transfer& transfer) const;
  bool end_what_is_idle();

  message::List<Transfer> list_;  // in the order in which they came
  WaitingEnd* ends_ = nullptr;
};

// Returns whether no transfer that others have announced uses this rank's memory. Any thread.
inline bool are_accepted_over(const Window& window) {
  // ORDER window.accepted: acquire here, release in advance; the memory is no longer read.
  return window.accepted_transfers.load(std::memory_order_acquire) == 0;
}
// Waits until that is so. The caller knows that no further transfer will be announced.
void await_accepted(const Window& window);

}  // namespace baton::window
