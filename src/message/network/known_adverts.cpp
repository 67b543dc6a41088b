#include "message/network/known_adverts.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace baton::message {

namespace {

bool fits(lockfree::Envelope wanted, lockfree::Envelope envelope) {
  return wanted.context == envelope.context && tag_fits(wanted.tag, envelope.tag);
}

}  // namespace

const NetworkAdvertLine* KnownAdverts::find(lockfree::Envelope envelope) const {
  for (int i = 0; i < count_; ++i)
    if (fits(known_[i].wanted, envelope)) return &known_[i].line;
  return nullptr;
}

void KnownAdverts::take_out(const NetworkAdvertLine* line) {
  Known* const end = known_ + count_;
  Known* const found =
      std::find_if(known_, end, [&](const Known& one) { return &one.line == line; });
  std::copy(found + 1, end, found);
  --count_;
}

void KnownAdverts::sent(lockfree::Envelope envelope, std::uint32_t rendezvous,
                        const NetworkAdvertLine* matched) {
  latest_[sent_++ % remembered_sends] = {envelope, rendezvous, matched != nullptr};
  if (matched) take_out(matched);
}

KnownAdverts::Arrived KnownAdverts::arrive(lockfree::Envelope wanted, const NetworkAdvertLine& line,
                                           bool usable, std::uint32_t& rendezvous) {
  if (line.refusals != refusals_) return Arrived::ignored;
  if (!usable || sent_ - line.taken > remembered_sends || count_ == adverts_max) {
    ++refusals_;
    return Arrived::refused;
  }
  for (std::uint32_t number = line.taken; number != sent_; ++number) {
    Message& message = latest_[number % remembered_sends];
    if (message.matched || !fits(wanted, message.envelope)) continue;
    message.matched = true;
    rendezvous = message.rendezvous;
    return Arrived::matched;
  }
  known_[count_++] = {wanted, line};
  return Arrived::kept;
}

bool KnownAdverts::has(std::uint32_t number) const {
  return std::any_of(known_, known_ + count_,
                     [&](const Known& one) { return one.line.number == number; });
}

void KnownAdverts::drop(std::uint32_t number) {
  for (int i = 0; i < count_; ++i)
    if (known_[i].line.number == number) return take_out(&known_[i].line);
}

bool OwnAdverts::wants_more() {
  if (count_ == adverts_max) return false;
  if (credit_ > 0) return true;
  if (++skipped_ < receives_skipped) return false;
  skipped_ = 0;
  credit_ = 1;
  return true;
}

std::uint32_t OwnAdverts::open(Request& receive) {
  open_[count_++] = &receive;
  if (++last_number_ == 0) ++last_number_;
  receive.advert = last_number_;
  return last_number_;
}

Request* OwnAdverts::find(std::uint32_t number) const {
  for (int i = 0; i < count_; ++i)
    if (open_[i]->advert == number) return open_[i];
  return nullptr;
}

void OwnAdverts::close(const Request& receive) {
  Request** const end = open_ + count_;
  Request** const found = std::find(open_, end, &receive);
  BATON_INVARIANT(found != end);
  std::copy(found + 1, end, found);
  --count_;
}

}  // namespace baton::message
