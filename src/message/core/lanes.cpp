#include "message/core/lanes.hpp"

#include <bit>

#include "message/core/arrive.hpp"
#include "message/core/contact.hpp"
#include "message/core/engine.hpp"
#include "message/core/protocol.hpp"
#include "platform/futex.hpp"

namespace baton::message {

namespace {

// More contacts than this are found by doorbells, fewer by looking at each lane.
constexpr std::uint32_t polled_contacts_max = 16;  // guess

// From now on peers ring when they have published, and we look only where it rang.
void trust_doorbells() {
  engine.doorbells = true;
  lockfree::announce(transport::doorbell(engine.local_rank), lockfree::wake_doorbell);
  if (engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
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

Process sender_of(std::uint32_t word, int bit) {
  return transport::process_at(static_cast<LocalRank>(word * 64 + static_cast<std::uint32_t>(bit)));
}

BATON_COLD bool look_at_all(std::uint32_t word, std::uint64_t bits) {
  bool any = false;
  for (; bits; bits &= bits - 1) any |= look_at(sender_of(word, std::countr_zero(bits)));
  return any;
}

bool poll_doorbells() {
  transport::Doorbell& doorbell = transport::doorbell(engine.local_rank);
  bool any = false;
  for (std::uint32_t word = 0; word * 64 < engine.local_ranks; ++word) {
    std::uint64_t bits = lockfree::take_doorbells(doorbell, word);
    if (BATON_UNLIKELY(bits != 0)) any |= look_at_all(word, bits);
  }
  return any;
}

}  // namespace

void use_lane(Peer& peer) {
  engine.contacts[engine.contact_count++] = &peer;
  if (engine.contact_count == polled_contacts_max + 1) trust_doorbells();
}

bool poll_lanes() {
  bool any = poll_doorbells();
  if (!engine.doorbells)
    for (std::uint32_t i = 0; i < engine.contact_count; ++i) any |= poll_peer(*engine.contacts[i]);
  return any;
}

}  // namespace baton::message
