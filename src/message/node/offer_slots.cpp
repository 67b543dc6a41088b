#include "message/node/offer_slots.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "message/core/outstanding.hpp"

namespace baton::message {

namespace {

constexpr std::uint32_t page_sends = OfferSlots::page_sends;
static_assert(transport::offers_per_page == page_sends);

OfferSlots::Page& page_of(NodeMessages& node, std::uint32_t slot) {
  return *node.offers.pages[slot / page_sends];
}

bool has_place_for_page(OfferSlots& offers) {
  const bool is_full = offers.in_use == 0 || std::has_single_bit(offers.in_use);
  if (!is_full) return true;
  const std::size_t room = std::max(2 * offers.in_use, 1u);
  auto** grown =
      static_cast<OfferSlots::Page**>(std::realloc(offers.pages, room * sizeof(OfferSlots::Page*)));
  if (grown) offers.pages = grown;
  return grown != nullptr;
}

// A page of offers, with memory on both sides of it.
bool add_page(NodeMessages& node) {
  OfferSlots& offers = node.offers;
  if (!has_place_for_page(offers)) return false;
  auto* page = new (std::nothrow) OfferSlots::Page;
  if (page && transport::reserve_offers(node.own_slot, offers.in_use) == MPI_SUCCESS) {
    offers.pages[offers.in_use++] = page;
    return true;
  }
  delete page;
  return false;
}

int free_slot(NodeMessages& node) {
  OfferSlots& offers = node.offers;
  for (; offers.full < offers.in_use; ++offers.full)
    if (const std::uint64_t open = offers.pages[offers.full]->open; ~open)
      return static_cast<int>(offers.full * page_sends + std::countr_one(open));
  if (offers.in_use == OfferSlots::pages_max) return no_slot;
  return add_page(node) ? static_cast<int>((offers.in_use - 1) * page_sends) : no_memory;
}

}  // namespace

Request*& send_of(NodeMessages& node, std::uint32_t slot) {
  return page_of(node, slot).sends[slot % page_sends];
}

void close_slot(NodeMessages& node, std::uint32_t slot) {
  page_of(node, slot).open &= ~(std::uint64_t{1} << (slot % page_sends));
  node.offers.full = std::min(node.offers.full, slot / page_sends);
  send_of(node, slot) = nullptr;
  node.count_offers(~0u);
}

int open_slot(Request& send, Stage stage) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.offers.lock);
  int free = free_slot(node);
  if (free < 0) return free;
  auto slot = static_cast<std::uint32_t>(free);
  node_part(send).slot = slot;
  node_part(send).asked = false;
  send.stage = stage;
  page_of(node, slot).open |= std::uint64_t{1} << (slot % page_sends);
  send_of(node, slot) = &send;
  node.count_offers(1u);
  lockfree::open_offer(own_offer(node, slot));
  set_outstanding(send, send.bytes);
  return free;
}

void abandon_slot(NodeMessages& node, std::uint32_t slot) {
  platform::Guard guard(node.offers.lock);
  set_outstanding(*send_of(node, slot), 0);
  close_slot(node, slot);
}

void end_streamed_offer(Request& send) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.offers.lock);
  BATON_INVARIANT(lockfree::move_offer(own_offer(send), lockfree::OfferState::streaming,
                                       lockfree::OfferState::done));
  close_slot(node, node_part(send).slot);
}

}  // namespace baton::message
