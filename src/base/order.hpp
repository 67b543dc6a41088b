// In which order a root serves the ranks of a collective that goes by messages: said by BATON_ORDER
// or by a communicator's info key `baton_order`, else by the rows here. Used by
// collective/serving.hpp.
// Invariant: an order is a rank's own affair; others may have another.
#pragma once

#include <cstdint>
#include <span>

#include "base/selection_row.hpp"

namespace baton {

// automatic: as the rows say. rank: all at once, by rank. status: idle ones first, by the status
// board, some at a time. blocking: by rank, one after the other; for the scatter study only.
enum class Order : std::uint8_t { automatic, rank, status, blocking };
inline constexpr const char* order_words[] = {"auto", "rank", "status", "blocking"};
inline constexpr const char* order_key = "baton_order";

struct OrderRow {
  CollectiveKind kind;
  Order order;
  Load load;
  SelectionSource source;
  const char* where;
};
// What `auto` stands for: the last row that fits; by rank where none does
// (docs/decisions/status-order.md).
inline constexpr const char* where_ordered =
    "2 cores of an AMD EPYC virtual machine, 16 and 32 ranks, 2026-11-22";
inline constexpr OrderRow order_rows[] = {
    {CollectiveKind::scatter, Order::rank, Load::any, SelectionSource::guess, ""},
    {CollectiveKind::scatter, Order::status, Load::oversubscribed, SelectionSource::measured,
     where_ordered},
    {CollectiveKind::gather, Order::rank, Load::any, SelectionSource::guess, ""},
    {CollectiveKind::gather, Order::rank, Load::oversubscribed, SelectionSource::measured,
     where_ordered},
    {CollectiveKind::alltoall, Order::rank, Load::any, SelectionSource::guess, ""},
    {CollectiveKind::reduce, Order::rank, Load::any, SelectionSource::guess, ""},
};

constexpr Order resolve(Order asked, CollectiveKind kind, bool oversubscribed) {
  if (asked != Order::automatic) return asked;
  Order order = Order::rank;
  for (const OrderRow& row : order_rows)
    if (row.kind == kind &&
        (row.load == Load::any || (row.load == Load::oversubscribed) == oversubscribed))
      order = row.order;
  return order;
}
// A reduction gives the same bits each time unless somebody asks for another order.
static_assert(resolve(Order::automatic, CollectiveKind::reduce, true) == Order::rank);
static_assert(resolve(Order::automatic, CollectiveKind::reduce, false) == Order::rank);

}  // namespace baton
