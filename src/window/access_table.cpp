#include "window/access_table.hpp"

#include <algorithm>
#include <cstring>

#include "platform/futex.hpp"

namespace baton::window {

namespace {

bool is_accumulate(const Access& access) {
  return access.act >= Act::accumulate;
}

bool is_alike(const Access& one, const Access& other) {
  return one.rank == other.rank && one.act == other.act && one.era == other.era &&
         one.operation == other.operation && one.type == other.type &&
         one.reads_only == other.reads_only;
}

// Returns whether two accesses differ in type. MPI_INT and MPI_INTEGER are the same elements.
bool has_other_type(const Access& one, const Access& other) {
  if (one.type == other.type || one.type == 0 || other.type == 0) return false;
  const auto element = datatype::without_plain(one.element);
  return element == datatype::Element::none || element != datatype::without_plain(other.element);
}

}  // namespace

Clash clash_of(const Access& one, const Access& other, bool same_op) {
  if (one.first >= other.last || other.first >= one.last) return Clash::none;
  if (one.reads_only && other.reads_only) return Clash::none;
  if (!is_accumulate(one) || !is_accumulate(other)) return Clash::order;
  // The operations of one origin are done in its order, so they do not conflict with each other.
  if (one.rank == other.rank) return Clash::none;
  if (has_other_type(one, other)) return Clash::types;
  // A compare-and-swap may meet any other operation: locks and queues swap and replace the same
  // word, as the standard's own examples do.
  if (one.act == Act::compare_and_swap || other.act == Act::compare_and_swap) return Clash::none;
  if (one.operation == other.operation) return Clash::none;
  if (!same_op && (one.reads_only || other.reads_only)) return Clash::none;
  return Clash::operations;
}

std::uint32_t AccessTable::lock() {
  const std::uint32_t number = take_number(turns_);
  while (!is_served(turns_, number, true)) platform::yield_cpu();
  return number;
}

void AccessTable::unlock(std::uint32_t number) {
  (void)let_go(turns_, number, true);
}

const Access* AccessTable::find_clash(const Access& access, bool same_op, Clash* why) const {
  return std::find_if(begin(), end(), [&](const Access& other) {
    *why = clash_of(access, other, same_op);
    return *why != Clash::none;
  });
}

bool AccessTable::add(const Access& access) {
  for (std::uint32_t i = count_; i-- > 0;) {
    Access& other = list_[i];
    if (!is_alike(access, other) || access.first > other.last || other.first > access.last)
      continue;
    other.first = std::min(other.first, access.first);
    other.last = std::max(other.last, access.last);
    return true;
  }
  if (count_ == accesses_max) return false;
  list_[count_++] = access;
  return true;
}

bool find_difference(const char* one, const char* other, std::int64_t bytes, Difference* found) {
  if (std::memcmp(one, other, static_cast<std::size_t>(bytes)) == 0) return false;
  std::int64_t first = 0;
  while (one[first] == other[first]) ++first;
  std::int64_t last = first + 1;
  while (last < bytes && one[last] != other[last]) ++last;
  *found = {first, last - first};
  return true;
}

}  // namespace baton::window
