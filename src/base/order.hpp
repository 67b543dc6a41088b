// An order says in which order a root serves the ranks of a collective that goes by messages.
// BATON_ORDER or a communicator's info key `baton_order` sets it; else the rows in this file do.
// collective/serving.hpp uses it.
// Invariant: an order is a rank's own affair; others may have another.
#pragma once

#include <cstdint>
#include <span>

#include "base/selection_row.hpp"

namespace baton {

// `automatic` takes the order that the rows say. `rank` serves all ranks at once, by rank. `status`
// serves some at a time, those first that the status board shows idle. `blocking` serves one rank
// after the other, by rank; only the scatter study uses it.
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
// `auto` stands for the order of the last row that fits, and for `rank` where none does
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
