#include "world/context_id.hpp"

#include <bit>
#include <cstring>

#include "message/core/engine.hpp"
#include "message/core/wait.hpp"

namespace baton::world {

constinit ContextIds context_ids;

namespace {

constexpr std::uint32_t round_words = 64;  // words of ids agreed on in one round: 4096 ids
constexpr std::uint32_t round_ids = round_words * 64;
constexpr std::uint32_t words = context_ids_max / 64;
static_assert(Dissemination::words_max == round_words + 2);

// Returns the first id from `begin` on, with wraparound, that all members have free; round_ids
// where there is none.
std::uint32_t first_common(const std::uint64_t* common, std::uint32_t begin) {
  std::uint64_t upper = ~std::uint64_t{0} << (begin % 64);
  for (std::uint32_t i = 0; i <= round_words; ++i) {
    std::uint32_t word = (begin / 64 + i) % round_words;
    std::uint64_t wanted = i == 0 ? upper : i == round_words ? ~upper : ~std::uint64_t{0};
    if (std::uint64_t found = common[word] & wanted)
      return word * 64 + static_cast<std::uint32_t>(std::countr_zero(found));
  }
  return round_ids;
}

}  // namespace

void ContextIds::reset() {
  std::memset(free_, 0xff, sizeof free_);
  free_[0] &= ~std::uint64_t{7};  // world_context, self_context, groups_context
}

bool ContextIds::claim(std::uint32_t id, std::uint64_t nonce) {
  platform::Guard guard(lock_);
  std::uint64_t bit = std::uint64_t{1} << (id % 64);
  bool was_free = (free_[id / 64] & bit) != 0;
  free_[id / 64] &= ~bit;
  if (was_free) nonces_[id] = nonce;
  return was_free;
}

void ContextIds::copy_free(std::uint32_t first_word, std::uint32_t count, std::uint64_t* words) {
  platform::Guard guard(lock_);
  std::memcpy(words, free_ + first_word, count * sizeof words[0]);
}

std::uint64_t ContextIds::new_nonce() {
  platform::Guard guard(lock_);
  const std::uint64_t process = number_for_all(message::id_of(message::engine.self));
  return scramble(scramble(process) + ++nonces_made_);
}

void ContextIds::give_back(std::uint32_t id) {
  platform::Guard guard(lock_);
  free_[id / 64] |= std::uint64_t{1} << (id % 64);
}

void IdAgreement::start(const Members& members, bool blocking) {
  members_ = members;
  first_word_ = attempt_ = 0;
  error_ = MPI_SUCCESS;
  {
    platform::Guard guard(context_ids.lock_);
    alone_ = blocking && context_ids.under_way_ == 0 && !platform::threads_multiple;
    ++context_ids.under_way_;
  }
  offer();
}

void IdAgreement::offer() {
  step_ = Step::offering;
  {
    platform::Guard guard(context_ids.lock_);
    std::memcpy(words_.words, context_ids.free_ + first_word_,
                round_words * sizeof words_.words[0]);
  }
  words_.words[round_words] = alone_ ? ~std::uint64_t{0} : 0;
  words_.words[round_words + 1] =
      members_.position == 0 ? context_ids.new_nonce() : ~std::uint64_t{0};
  words_.start(members_, Dissemination::words_max);
}

void IdAgreement::choose() {
  // If this is the only agreement of all members, nobody can be faster: they take the lowest id,
  // without confirmation. Otherwise different agreements begin their search at different places.
  bool all_alone = words_.words[round_words] != 0;
  std::uint64_t seed =
      std::uint64_t{members_.context->send_id} << 32 | static_cast<std::uint32_t>(members_.tag);
  std::uint64_t begin = all_alone ? 0 : scramble(seed + attempt_) % round_ids;
  std::uint32_t found = first_common(words_.words, static_cast<std::uint32_t>(begin));
  if (found == round_ids) {
    first_word_ += round_words;
    if (first_word_ < words) return offer();
    return finish(
        fail(MPI_ERR_OTHER, "all %u context ids are in use; free communicators", context_ids_max));
  }
  id_ = first_word_ * 64 + found;
  claimed_ = context_ids.claim(id_, words_.words[round_words + 1]);
  if (!all_alone) return confirm(claimed_);
  BATON_INVARIANT(claimed_);
  finish(MPI_SUCCESS);
}

void IdAgreement::confirm(bool claimed) {
  step_ = Step::confirming;
  words_.words[0] = claimed ? 1 : 0;
  words_.start(members_, 1);
}

void IdAgreement::settle() {
  if (words_.words[0] != 0) return finish(MPI_SUCCESS);
  if (claimed_) context_ids.give_back(id_);
  ++attempt_;
  offer();
}

void IdAgreement::finish(Error error) {
  step_ = Step::over;
  error_ = error;
  platform::Guard guard(context_ids.lock_);
  --context_ids.under_way_;
}

bool IdAgreement::advance() {
  while (step_ != Step::over && words_.advance()) {
    if (words_.error()) {
      if (step_ == Step::confirming && claimed_) context_ids.give_back(id_);
      finish(words_.error());
    } else if (step_ == Step::offering) {
      choose();
    } else {
      settle();
    }
  }
  return step_ == Step::over;
}

Error agree_context_id(const Members& members, std::uint32_t* id) {
  IdAgreement agreement;
  agreement.start(members, true);
  message::wait_until([&] { return agreement.advance(); });
  *id = agreement.id();
  return agreement.error();
}

}  // namespace baton::world
