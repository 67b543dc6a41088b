#include "world/failure/revocation.hpp"

#include <cstdlib>
#include <cstring>

#include "message/core/active.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/wake.hpp"
#include "platform/clock.hpp"
#include "world/failure/communicator_key.hpp"

namespace baton::world {

namespace {

// A revocation of a communicator that this process does not know: it is not there yet, or gone.
struct Early {
  Early* next;
  CommunicatorKey key;
};

void tell_others(const Communicator& communicator) {
  const Group& members = members_of(communicator);
  const CommunicatorKey key(communicator);
  for (std::int32_t distance = 1; distance < members.size; distance *= 2) {
    std::int32_t to = (members.rank + distance) % members.size;
    while (to != members.rank && message::loss_of(members.processes[to]))
      to = (to + 1) % members.size;
    if (to == members.rank) return;
    (void)message::send_active(members.processes[to], message::ActiveKind::revocation, 0, &key,
                               sizeof key);
  }
}

// Ends what waits on communicators that are revoked, also what was begun since, and tells of them
// again when one is lost who may have been on the way.
class Revocations final : public message::ProgressSource {
 public:
  void take_note() {
    message::note_revoked();
    message::set_active(*this, true);
    message::wake_waiters();
  }

  bool advance() override {
    constexpr std::int64_t pause_ns = 100'000;  // guess, as for losses
    const std::int64_t now_ns = platform::now_ns();
    if (now_ns < next_ns_) return false;
    next_ns_ = now_ns + pause_ns;
    const std::uint32_t losses = platform::load_shared(message::engine.lost.count);
    bool any = false;
    each_communicator([&](const Communicator& one) {
      if (!one.failures.is_revoked()) return;
      any = true;
      if (losses != told_losses_) tell_others(one);
    });
    told_losses_ = losses;
    if (any) return message::fail_lost_sends() | message::fail_lost_receives();
    message::note_none_revoked();
    message::set_active(*this, false);
    each_communicator([this](const Communicator& one) {
      if (one.failures.is_revoked()) take_note();  // by another thread, just now
    });
    return false;
  }
  bool needs_progress() const override { return false; }

  void arrive(const CommunicatorKey& key) {
    platform::Guard guard(lock_);
    if (at_communicator(key, revoke)) return;
    auto* early = static_cast<Early*>(std::malloc(sizeof(Early)));
    if (!early) return;  // as if it had not come: another member's call fails, and tells
    *early = {early_, key};
    early_ = early;
  }
  bool take_early(const Communicator& communicator) {
    platform::Guard guard(lock_);
    for (Early** link = &early_; *link; link = &(*link)->next)
      if (CommunicatorKey(communicator) == (*link)->key) {
        Early* early = *link;
        *link = early->next;
        std::free(early);
        return true;
      }
    return false;
  }

 private:
  std::int64_t next_ns_ = 0;
  std::uint32_t told_losses_ = 0;
  Early* early_ = nullptr;
  platform::Lock lock_;  // of the list; who gets its id takes it behind that (take_early)
};
constinit Revocations revocations;

void arrive(const message::ActiveMessage& message) {
  CommunicatorKey key;
  if (message.bytes != sizeof key) return;
  std::memcpy(&key, message.payload, sizeof key);
  revocations.arrive(key);
}

}  // namespace

void revoke(Communicator& communicator) {
  if (!communicator.failures.revoke()) return;
  revocations.take_note();
  tell_others(communicator);
}

void take_early_revocation(Communicator& communicator) {
  if (revocations.take_early(communicator)) revoke(communicator);
}

void hear_of_revocations() {
  message::handle_active(message::ActiveKind::revocation, arrive);
}

}  // namespace baton::world
