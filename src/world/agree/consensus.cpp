#include "world/agree/consensus.hpp"

#include <algorithm>
#include <new>

namespace baton::world {

bool Consensus::allocate() {
  const auto make = [](std::int32_t count) {
    return Words(new (std::nothrow) std::uint64_t[static_cast<std::size_t>(count)]());
  };
  value_ = make(value_words());
  gathered_ = make(value_words());
  states_ = make(member_words());
  done_ = make(member_words());
  adopters_ = make(member_words());
  askers_ = make(member_words());
  if (!value_ || !gathered_ || !states_ || !done_ || !adopters_ || !askers_) return false;
  std::fill_n(gathered_.get(), words_, ~std::uint64_t{0});
  return true;
}

void Consensus::copy(std::uint64_t* to, const std::uint64_t* from) const {
  std::copy_n(from, value_words(), to);
}

void Consensus::start(const std::uint64_t* words) {
  std::copy_n(words, words_, value_.get());
  started_ = true;
  look();
}

Consensus::Message Consensus::own_state() const {
  return {Kind::state, coordinator_, adopted_, value_.get()};
}

void Consensus::look() {
  if (!started_ || decided_) return;
  std::int32_t lowest = 0;
  while (lowest != own_ && around_.is_lost(lowest)) ++lowest;
  if (lowest != coordinator_) {
    const std::int32_t before = coordinator_;
    coordinator_ = lowest;
    if (lowest == own_)
      take_over(before);
    else
      around_.send(lowest, own_state());
  }
  if (coordinator_ == own_) lead();
}

// Begins to coordinate. Whoever has decided under the coordinator before answers a query only.
void Consensus::take_over(std::int32_t before) {
  take_state(own_, own_state());
  if (before != nobody) send_to_others(Kind::query);
}

void Consensus::send_to_others(Kind kind) {
  for (std::int32_t to = 0; to < members_; ++to)
    if (to != own_ && !around_.is_lost(to)) around_.send(to, {kind, own_, adopted_, value_.get()});
}

// Returns whether these bits are set for all members that are not lost.
bool Consensus::all_are_in(const std::uint64_t* bits) const {
  for (std::int32_t i = 0; i < members_; ++i)
    if (!bit(bits, i) && !(i != own_ && around_.is_lost(i))) return false;
  return true;
}

void Consensus::take_state(std::int32_t from, const Message& message) {
  if (message.adopted > latest_) {
    latest_ = message.adopted;
    copy(gathered_.get(), message.words);
  } else if (latest_ == nobody) {
    for (std::int32_t i = 0; i < words_; ++i) gathered_[i] &= message.words[i];
  }
  set(states_.get(), from);
}

// A member has decided, so all that live have adopted the decision. If this member has adopted
// nothing, the answer came from one that does not know the object yet, and decides nothing.
void Consensus::take_done(std::int32_t from) {
  set(done_.get(), from);
  set(adopters_.get(), from);
  if (!decided_ && adopted_ != nobody) decide();
}

// Decides on `value_`, and tells all, as the coordinator, else those who know already that the
// coordinator is lost: the next one, and those who take this member for it.
void Consensus::decide() {
  decided_ = true;
  for (std::int32_t to = 0; to < members_; ++to) {
    const bool waits = coordinator_ == own_ || bit(states_.get(), to) || bit(askers_.get(), to);
    if (to != own_ && waits && !around_.is_lost(to))
      around_.send(to, {Kind::decision, own_, own_, value_.get()});
  }
}

void Consensus::lead() {
  if (!proposed_) propose();
  if (proposed_ && all_are_in(adopters_.get())) decide();
}

// Proposes a value, if all have said where they stand.
void Consensus::propose() {
  // A member that is done need not send its state, if anybody has adopted a proposal: that is what
  // it has decided. Else it only does not know the object yet, and its state will come.
  for (std::int32_t i = 0; i < members_; ++i) {
    const bool answered = bit(states_.get(), i) || (latest_ != nobody && bit(done_.get(), i));
    if (!answered && !(i != own_ && around_.is_lost(i))) return;
  }
  if (latest_ == nobody)
    for (std::int32_t i = 0; i < members_; ++i)
      if (!bit(states_.get(), i)) set(failed_of(gathered_.get()), i);
  copy(value_.get(), gathered_.get());
  adopted_ = own_;
  proposed_ = true;
  for (std::int32_t i = 0; i < member_words(); ++i) adopters_[i] = latest_ == nobody ? 0 : done_[i];
  set(adopters_.get(), own_);
  send_to_others(Kind::proposal);
}

void Consensus::take(std::int32_t from, const Message& message) {
  switch (message.kind) {
    case Kind::state:
      take_state(from, message);
      break;
    case Kind::done:
      take_done(from);
      break;
    case Kind::query:  // our state is sent when we know of the loss, unless we decide before
      set(askers_.get(), from);
      break;
    case Kind::proposal:
      // A proposal of a coordinator that is lost may come late: another one has our state by then.
      if (message.coordinator != coordinator_) break;
      if (!decided_) copy(value_.get(), message.words);
      adopted_ = message.coordinator;
      around_.send(from, {Kind::acknowledge, message.coordinator, adopted_, value_.get()});
      break;
    case Kind::acknowledge:
      set(adopters_.get(), from);
      break;
    case Kind::decision:
      copy(value_.get(), message.words);
      decide();
      break;
  }
  look();
}

}  // namespace baton::world
