#include "world/failure/recovery.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/failure_class.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/progress_source.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "world/communicator.hpp"
#include "world/context_id.hpp"
#include "world/failure/agreement.hpp"
#include "world/failure/failures.hpp"

namespace baton::world {

namespace {

// Returns whether this process knows of all failures on which the members have agreed: it may hear
// of them later than the one that has told.
bool knows_failures(const Agreement& agreement) {
  const Group& members = agreement.members();
  for (std::int32_t i = 0; i < members.size; ++i)
    if (agreement.has_failed(i) && !message::loss_of(members.processes[i])) return false;
  return true;
}

// ---- agreeing on a flag

class FlagAgreement {
 public:
  FlagAgreement(Communicator& communicator, int* flag)
      : communicator_(communicator), flag_(flag), agreement_(communicator) {}

  // Contributes the flag, and whose failures are acknowledged: the agreed flag is an error where a
  // failure is not acknowledged by all.
  Error start() {
    const std::int32_t count = 1 + (agreement_.members().size + 63) / 64;
    auto words = std::unique_ptr<std::uint64_t[]>(
        new (std::nothrow) std::uint64_t[static_cast<std::size_t>(count)]());
    if (!words) return fail(MPI_ERR_NO_MEM, "no memory to agree");
    words[0] = static_cast<std::uint32_t>(*flag_);
    communicator_.failures.copy_acknowledged(words.get() + 1);
    return agreement_.start(words.get(), count);
  }
  bool advance() { return agreement_.is_over() && knows_failures(agreement_); }
  Error outcome() const {
    *flag_ = static_cast<int>(static_cast<std::uint32_t>(agreement_.word(0)));
    for (std::int32_t i = 0; i < agreement_.members().size; ++i)
      if (agreement_.has_failed(i) && !(agreement_.word(1 + i / 64) >> (i % 64) & 1))
        return message::explain_loss(agreement_.members().processes[i]);
    return MPI_SUCCESS;
  }

 private:
  Communicator& communicator_;
  int* flag_;
  Agreement agreement_;
};

// ---- shrinking

// The members first agree on who is left and on the context ids that all of these have free, then
// on whether all could take the one that they have chosen, as when they agree on one otherwise
// (context_id.hpp). Whoever fails meanwhile is left out, or found later.
class Shrinking {
 public:
  explicit Shrinking(Communicator& communicator)
      : communicator_(communicator), agreement_(communicator) {}

  Error start() { return offer(); }
  // Goes on as far as it can; returns true when it is over.
  bool advance() {
    while (!over_ && agreement_.is_over()) go_on();
    return over_;
  }
  Error outcome(Communicator** made) {
    if (error_) return error_;
    Group* local = survivors(*communicator_.local);
    Group* remote = local && communicator_.remote ? survivors(*communicator_.remote) : nullptr;
    if (!local || (communicator_.remote && !remote)) {
      if (local) release(*local);
      context_ids.give_back(id_);
      return fail(MPI_ERR_NO_MEM, "no memory for a communicator");
    }
    if (remote && remote->size == 0) {
      release(*local);
      release(*remote);
      context_ids.give_back(id_);
      return fail(error_process_failed,
                  "nobody is left in the other group of this intercommunicator");
    }
    return make_communicator(local, remote, id_, &communicator_, made);
  }

 private:
  static constexpr std::uint32_t round_words = 64;
  static constexpr std::uint32_t rounds = context_ids_max / 64 / round_words;
  static constexpr std::uint32_t attempts_max = 32;  // of other agreements that are quicker

  Error offer() {
    std::uint64_t words[round_words];
    confirming_ = false;
    context_ids.copy_free(round_ * round_words, round_words, words);
    return agreement_.start(words, round_words);
  }

  void go_on() {
    if (confirming_)
      settle();
    else
      choose();
    if (error_) over_ = true;
  }

  void choose() {
    // Each attempt of each operation has its own: what is still on its way about a communicator
    // that is freed must not be taken for another one's.
    const std::uint64_t nonce =
        scramble(communicator_.nonce + (std::uint64_t{agreement_.operation()} << 32 | ++attempts_));
    const std::uint32_t begin = static_cast<std::uint32_t>(nonce % (round_words * 64));
    std::uint32_t found = 0;
    while (found < round_words * 64 && !is_free((begin + found) % (round_words * 64))) ++found;
    if (found == round_words * 64) {
      if (++round_ == rounds) {
        error_ = fail(MPI_ERR_OTHER, "all %u context ids are in use; free communicators",
                      context_ids_max);
        return;
      }
      error_ = offer();
      return;
    }
    id_ = round_ * round_words * 64 + (begin + found) % (round_words * 64);
    claimed_ = context_ids.claim(id_, scramble(nonce));
    confirming_ = true;
    const std::uint64_t word = claimed_ ? 1 : 0;
    error_ = agreement_.start(&word, 1);
  }
  bool is_free(std::uint32_t place) const {
    return agreement_.word(static_cast<std::int32_t>(place / 64)) >> (place % 64) & 1;
  }

  void settle() {
    if (agreement_.word(0)) {
      over_ = true;
      return;
    }
    if (claimed_) context_ids.give_back(id_);
    error_ = attempts_ < attempts_max
                 ? offer()
                 : fail(MPI_ERR_OTHER, "other threads take each context id on which ranks agree");
  }

  // Returns the members of a group that have not failed; null without memory.
  Group* survivors(const Group& group) const {
    const Group& members = agreement_.members();
    const auto has_failed = [&](Process process) {
      return agreement_.has_failed(members.rank_of(process));
    };
    std::int32_t size = 0;
    for (std::int32_t i = 0; i < group.size; ++i) size += !has_failed(group.processes[i]);
    Group* made = new_group(size);
    if (!made) return nullptr;
    for (std::int32_t i = 0, place = 0; i < group.size; ++i)
      if (!has_failed(group.processes[i])) made->processes[place++] = group.processes[i];
    if (group.session) belong_to(*made, group.session);
    finish_group(*made);
    return made;
  }

  Communicator& communicator_;
  Agreement agreement_;
  std::uint32_t round_ = 0;
  std::uint32_t attempts_ = 0;
  std::uint32_t id_ = 0;
  bool claimed_ = false;
  bool confirming_ = false;
  bool over_ = false;
  Error error_ = MPI_SUCCESS;
};

// ---- the nonblocking forms

void put(const HandlePlace& place, MPI_Comm handle) {
  if (place.handle)
    *place.handle = handle;
  else
    *place.number = communicators.to_int(handle);
}

// An operation under way; the visible request completes with it.
template <class Operation>
struct UnderWay {
  Operation operation;
  message::Request* visible;
  HandlePlace place;  // of a communicator, where one is made
  UnderWay* next = nullptr;

  bool advance() { return operation.advance(); }
  void finish() {
    Error error;
    if constexpr (requires { operation.outcome(static_cast<Communicator**>(nullptr)); }) {
      Communicator* made = nullptr;
      error = operation.outcome(&made);
      put(place, error ? MPI_COMM_NULL : made->handle);
    } else {
      error = operation.outcome();
    }
    message::complete(*visible, error);
    delete this;
  }
};
constinit message::ListSource<UnderWay<FlagAgreement>> flag_agreements;
constinit message::ListSource<UnderWay<Shrinking>> shrinkings;

template <class Operation, class Source, class... Arguments>
Error begin(Source& source, Communicator& communicator, HandlePlace place, MPI_Request* request,
            Arguments... arguments) {
  message::Request* visible = message::new_request();
  auto* made = visible
                   ? new (std::nothrow)
                         UnderWay<Operation>{Operation(communicator, arguments...), visible, place}
                   : nullptr;
  Error error = made ? made->operation.start() : fail(MPI_ERR_NO_MEM, "no memory for a request");
  if (error) {
    delete made;
    if (visible) message::release_request(*visible);
    return error;
  }
  visible->kind = message::RequestKind::schedule;
  visible->stage = message::Stage::queued;
  visible->owner = &communicator;
  message::hold(*visible, communicator.collective);
  *request = visible->handle;
  source.add(*made);
  return MPI_SUCCESS;
}

}  // namespace

Error agree(Communicator& communicator, int* flag) {
  if (Error error = check_open(communicator)) return error;
  FlagAgreement agreement(communicator, flag);
  if (Error error = agreement.start()) return error;
  message::wait_until([&] { return agreement.advance(); });
  return agreement.outcome();
}

Error start_agree(Communicator& communicator, int* flag, MPI_Request* request) {
  if (Error error = check_open(communicator)) return error;
  return begin<FlagAgreement>(flag_agreements, communicator, {}, request, flag);
}

Error shrink(Communicator& communicator, Communicator** made) {
  if (Error error = check_open(communicator)) return error;
  Shrinking shrinking(communicator);
  if (Error error = shrinking.start()) return error;
  message::wait_until([&] { return shrinking.advance(); });
  return shrinking.outcome(made);
}

Error start_shrink(Communicator& communicator, HandlePlace place, MPI_Request* request) {
  put(place, MPI_COMM_NULL);
  if (Error error = check_open(communicator)) return error;
  return begin<Shrinking>(shrinkings, communicator, place, request);
}

}  // namespace baton::world
