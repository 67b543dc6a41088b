#include "world/failure/agreement.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "message/core/active.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "world/failure/failures.hpp"

namespace baton::world {

namespace {

// A message of an agreement, as it travels; its words follow.
struct Wire {
  CommunicatorKey key;
  std::uint32_t number;
  std::int32_t coordinator;
  std::int32_t adopted;
  Consensus::Kind kind;
};
constexpr std::size_t words_max =
    (message::active_bytes_max - sizeof(Wire)) / sizeof(std::uint64_t);

// A message that has come before this process has begun with its agreement.
struct Early {
  Early* next;
  Process sender;
  Wire wire;
  std::uint64_t words[words_max];
};

std::uint32_t operation_of(std::uint32_t number) {
  return number / Agreement::steps_max;
}

}  // namespace

// All agreements that are under way in this process.
class Agreements final : public message::ProgressSource {
 public:
  // Its number is taken at the same time: until then messages about it are early, not of the past.
  void add(Agreement& agreement, Failures& failures) {
    platform::Guard guard(lock_);
    agreement.number_ = failures.next_operation() * Agreement::steps_max;
    agreement.next_ = first_;
    first_ = &agreement;
    message::set_active(*this, true);
  }
  void remove(Agreement& agreement) {
    platform::Guard guard(lock_);
    Agreement** link = &first_;
    while (*link && *link != &agreement) link = &(*link)->next_;
    if (*link) *link = agreement.next_;
    if (!first_) message::set_active(*this, false);
  }

  // Begins with a step: what has come early is taken in.
  void begin(Agreement& agreement, std::unique_ptr<Consensus> consensus,
             const std::uint64_t* words) {
    platform::Guard guard(lock_);
    if (agreement.consensus_) ++agreement.number_;
    agreement.consensus_ = std::move(consensus);
    agreement.consensus_->start(words);
    for (Early** link = &early_; *link;) {
      Early* early = *link;
      if (!is_for(agreement, early->wire) || early->wire.number != agreement.number_) {
        link = &early->next;
        continue;
      }
      *link = early->next;
      take(agreement, early->sender, early->wire, early->words);
      std::free(early);
    }
  }

  void arrive(Process sender, const Wire& wire, const std::uint64_t* words, std::size_t count) {
    platform::Guard guard(lock_);
    for (Agreement* one = first_; one; one = one->next_) {
      if (!is_for(*one, wire)) continue;
      if (wire.number == one->number_ && one->consensus_) return take(*one, sender, wire, words);
      if (wire.number < one->number_) return answer_for_past(sender, wire);
      return keep(sender, wire, words, count);
    }
    // A communicator that is not known is gone, or not there yet. The answer holds for the first
    // case, and decides nothing in the second (Consensus::take_done).
    bool is_past = false;
    const bool is_known = at_communicator(wire.key, [&](const Communicator& known) {
      is_past = operation_of(wire.number) < known.failures.operations();
    });
    if (!is_known || is_past) answer_for_past(sender, wire);
    if (!is_past) keep(sender, wire, words, count);
  }

  bool is_decided(const Agreement& agreement) {
    platform::Guard guard(lock_);
    return agreement.consensus_->is_decided();
  }

  // Goes on with all after losses.
  bool advance() override {
    if (!message::has_lost_peers()) return false;
    platform::Guard guard(lock_);
    bool any = false;
    for (Agreement* one = first_; one; one = one->next_)
      if (one->consensus_ && !one->consensus_->is_decided()) {
        one->consensus_->look();
        any |= one->consensus_->is_decided();
      }
    return any;
  }
  bool needs_progress() const override { return true; }

 private:
  static bool is_for(const Agreement& agreement, const Wire& wire) {
    return agreement.key_ == wire.key &&
           operation_of(agreement.number_) == operation_of(wire.number);
  }

  void take(Agreement& agreement, Process sender, const Wire& wire, const std::uint64_t* words) {
    const std::int32_t from = agreement.members_.rank_of(sender);
    if (from == MPI_UNDEFINED) return;
    Consensus& consensus = *agreement.consensus_;
    if (consensus.is_decided()) return answer_for_past(sender, wire);
    consensus.take(from, {wire.kind, wire.coordinator, wire.adopted, words});
  }

  static void answer_for_past(Process sender, const Wire& wire) {
    using Kind = Consensus::Kind;
    if (wire.kind != Kind::query && wire.kind != Kind::proposal && wire.kind != Kind::state) return;
    Wire answer = wire;
    answer.kind = Kind::done;
    answer.adopted = Consensus::nobody;
    (void)message::send_active(sender, message::ActiveKind::agreement, 0, &answer, sizeof answer);
  }

  void keep(Process sender, const Wire& wire, const std::uint64_t* words, std::size_t count) {
    auto* early =
        static_cast<Early*>(std::malloc(offsetof(Early, words) + count * sizeof(std::uint64_t)));
    if (!early) return;  // without memory this member is taken for one that does not answer
    early->sender = sender;
    early->wire = wire;
    std::memcpy(early->words, words, count * sizeof(std::uint64_t));
    Early** link = &early_;
    while (*link) link = &(*link)->next;
    early->next = nullptr;
    *link = early;
  }

  Agreement* first_ = nullptr;
  Early* early_ = nullptr;  // in the order in which they have come
  platform::Lock lock_;
};

namespace {

constinit Agreements agreements;

void arrive(const message::ActiveMessage& message) {
  Wire wire;
  std::uint64_t words[words_max];
  if (message.bytes < sizeof wire) return;
  std::memcpy(&wire, message.payload, sizeof wire);
  const std::size_t bytes = message.bytes - sizeof wire;
  std::memcpy(words, static_cast<const char*>(message.payload) + sizeof wire, bytes);
  agreements.arrive(message.sender, wire, words, bytes / sizeof(std::uint64_t));
}

}  // namespace

Agreement::Agreement(Communicator& communicator)
    : members_(members_of(communicator)), key_(communicator) {
  retain(const_cast<Group&>(members_));
  agreements.add(*this, communicator.failures);
}

Agreement::~Agreement() {
  agreements.remove(*this);
  release(const_cast<Group&>(members_));
}

Error Agreement::start(const std::uint64_t* words, std::int32_t count) {
  auto next = std::unique_ptr<Consensus>(new (std::nothrow)
                                             Consensus(*this, members_.size, members_.rank, count));
  if (!next || !next->allocate()) return fail(MPI_ERR_NO_MEM, "no memory to agree");
  if (static_cast<std::size_t>(next->value_words()) > words_max)
    return fail(MPI_ERR_UNSUPPORTED_OPERATION, "%d ranks are more than can agree", members_.size);
  agreements.begin(*this, std::move(next), words);
  return MPI_SUCCESS;
}

bool Agreement::is_over() const {
  return agreements.is_decided(*this);
}

void Agreement::send(std::int32_t to, const Consensus::Message& message) {
  char bytes[message::active_bytes_max];
  const Wire wire{key_, number_, message.coordinator, message.adopted, message.kind};
  std::memcpy(bytes, &wire, sizeof wire);
  const bool has_words = message.kind == Consensus::Kind::state ||
                         message.kind == Consensus::Kind::proposal ||
                         message.kind == Consensus::Kind::decision;
  const std::size_t words_bytes =
      has_words ? static_cast<std::size_t>(consensus_->value_words()) * sizeof(std::uint64_t) : 0;
  if (words_bytes) std::memcpy(bytes + sizeof wire, message.words, words_bytes);
  // An error is one of memory: the other side then waits until this process has ended.
  (void)message::send_active(members_.processes[to], message::ActiveKind::agreement, 0, bytes,
                             sizeof wire + words_bytes);
}

bool Agreement::is_lost(std::int32_t member) const {
  return message::loss_of(members_.processes[member]) != 0;
}

void hear_of_agreements() {
  message::handle_active(message::ActiveKind::agreement, arrive);
}

}  // namespace baton::world
