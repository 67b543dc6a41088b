#include "message/node/rendezvous_slots.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <new>

#include "message/core/outstanding.hpp"

namespace baton::message {

namespace {

constexpr std::uint32_t page_sends = RendezvousSlots::page_sends;
static_assert(transport::rendezvous_entries_per_page == page_sends);

RendezvousSlots::Page& page_of(NodeMessages& node, std::uint32_t slot) {
  return *node.slots.pages[slot / page_sends];
}

bool has_place_for_page(RendezvousSlots& slots) {
  const bool is_full = slots.in_use == 0 || std::has_single_bit(slots.in_use);
  if (!is_full) return true;
  const std::size_t space = std::max(2 * slots.in_use, 1u);
  auto** grown = static_cast<RendezvousSlots::Page**>(
      std::realloc(slots.pages, space * sizeof(RendezvousSlots::Page*)));
  if (grown) slots.pages = grown;
  return grown != nullptr;
}

// A page of slots, with memory on both sides of it.
bool add_page(NodeMessages& node) {
  RendezvousSlots& slots = node.slots;
  if (!has_place_for_page(slots)) return false;
  auto* page = new (std::nothrow) RendezvousSlots::Page;
  if (page && transport::reserve_entries(node.own_slot, slots.in_use) == MPI_SUCCESS) {
    slots.pages[slots.in_use++] = page;
    return true;
  }
  delete page;
  return false;
}

int free_slot(NodeMessages& node) {
  RendezvousSlots& slots = node.slots;
  for (; slots.full < slots.in_use; ++slots.full)
    if (const std::uint64_t open = slots.pages[slots.full]->open; ~open)
      return static_cast<int>(slots.full * page_sends + std::countr_one(open));
  if (slots.in_use == RendezvousSlots::pages_max) return no_slot;
  return add_page(node) ? static_cast<int>((slots.in_use - 1) * page_sends) : no_memory;
}

}  // namespace

Request*& send_of(NodeMessages& node, std::uint32_t slot) {
  return page_of(node, slot).sends[slot % page_sends];
}

void close_slot(NodeMessages& node, std::uint32_t slot) {
  page_of(node, slot).open &= ~(std::uint64_t{1} << (slot % page_sends));
  node.slots.full = std::min(node.slots.full, slot / page_sends);
  send_of(node, slot) = nullptr;
  node.count_entries(~0u);
}

int open_slot(Request& send, Stage stage) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.slots.lock);
  int free = free_slot(node);
  if (free < 0) return free;
  auto slot = static_cast<std::uint32_t>(free);
  node_part(send).slot = slot;
  node_part(send).asked = false;
  send.stage = stage;
  page_of(node, slot).open |= std::uint64_t{1} << (slot % page_sends);
  send_of(node, slot) = &send;
  node.count_entries(1u);
  lockfree::open_entry(own_entry(node, slot));
  set_outstanding(send, send.bytes);
  return free;
}

void abandon_slot(NodeMessages& node, std::uint32_t slot) {
  platform::Guard guard(node.slots.lock);
  set_outstanding(*send_of(node, slot), 0);
  close_slot(node, slot);
}

void end_streamed_entry(Request& send) {
  NodeMessages& node = node_of(send);
  platform::Guard guard(node.slots.lock);
  BATON_INVARIANT(lockfree::move_entry(own_entry(send), lockfree::RendezvousState::streaming,
                                       lockfree::RendezvousState::done));
  close_slot(node, node_part(send).slot);
}

}  // namespace baton::message
