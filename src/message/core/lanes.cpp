#include "message/core/lanes.hpp"

#include <bit>

#include "message/core/announce.hpp"
#include "message/core/arrive.hpp"
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"

namespace baton::message {

namespace {

// More contacts than this are found by doorbells, fewer by looking at each lane.
constexpr std::uint32_t polled_contacts_max = 16;  // guess

// From now on peers ring when they have published, and we look only where it rang.
void trust_doorbells() {
  engine.doorbells = true;
  announce(lockfree::wake_doorbell);
  order_against_senders();
  for (std::uint32_t i = 0; i < engine.contact_count; ++i) poll_peer(*engine.contacts[i]);
}

// A bit that rang: the first time it makes the contact known.
bool look_at(Process process) {
  Peer* peer = known_peer(process);
  if (BATON_LIKELY(peer && peer->in.attached())) return poll_peer(*peer);
  peer = meet(process);
  // No memory now: the bit comes again with the next message.
  return peer && peer->protocol->look(*peer);
}

BATON_COLD bool look_at_all(transport::Slot own, std::uint32_t word, std::uint64_t bits) {
  bool any = false;
  for (; bits; bits &= bits - 1) {
    const auto bit = static_cast<std::uint32_t>(std::countr_zero(bits));
    any |= look_at(transport::process_at(own.at(word * 64 + bit)));
  }
  return any;
}

BATON_INLINE bool poll(transport::Slot own, std::uint32_t senders) {
  transport::Doorbell& doorbell = transport::doorbell(own);
  bool any = false;
  for (std::uint32_t word = 0; word * 64 < senders; ++word) {
    std::uint64_t bits = lockfree::take_doorbells(doorbell, word);
    if (BATON_UNLIKELY(bits != 0)) any |= look_at_all(own, word, bits);
  }
  return any;
}

}  // namespace

bool poll_doorbells(transport::Slot own) {
  return poll(own, own.count());
}

void use_lane(Peer& peer) {
  engine.contacts[engine.contact_count++] = &peer;
  if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
}

bool poll_lanes() {
  bool any = poll(engine.local_rank, engine.local_ranks);
  if (!engine.doorbells)
    for (std::uint32_t i = 0; i < engine.contact_count; ++i) any |= poll_peer(*engine.contacts[i]);
  return any;
}

}  // namespace baton::message
