#include "window/conflict.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>

#include "collective/check/words.hpp"
#include "datatype/operation.hpp"
#include "transport/node.hpp"
#include "window/one_sided.hpp"

namespace baton::window {

namespace {

using collective::Words;

const char* procedure_of(Act act) {
  switch (act) {
    case Act::put:
      return "MPI_Put";
    case Act::get:
      return "MPI_Get";
    case Act::accumulate:
      return "MPI_Accumulate";
    case Act::get_accumulate:
      return "MPI_Get_accumulate";
    case Act::fetch_and_op:
      return "MPI_Fetch_and_op";
    case Act::compare_and_swap:
      return "MPI_Compare_and_swap";
  }
  return "";
}

void add_window(Words& words, const Window& window) {
  words.add("%s", window.comm->name);
}

void add_rank(Words& words, const Window& window, int rank) {
  words.add_ranks(*window.comm, [&](int member) { return member == rank; });
}

// Adds words such as "bytes 8-15 (displacement 2) of rank 1".
void add_bytes(Words& words, const Window& window, int target, std::int64_t first,
               std::int64_t last) {
  if (window.is_dynamic()) {
    words.add("bytes %#llx-%#llx of ", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(last - 1));
  } else {
    const std::int64_t unit = window.targets[target].unit;
    words.add("bytes %lld-%lld (displacement %lld", static_cast<long long>(first),
              static_cast<long long>(last - 1), static_cast<long long>(first / unit));
    if (first % unit) words.add(" and %lld bytes", static_cast<long long>(first % unit));
    words.add(") of ");
  }
  add_rank(words, window, target);
}

// Adds words such as "MPI_Accumulate (MPI_SUM, MPI_INT) by rank 2".
void add_access(Words& words, const Window& window, const Access& access) {
  words.add("%s", procedure_of(access.act));
  const Operation* operation =
      datatype::operations.find(datatype::operations.from_int(access.operation));
  const Datatype* type = datatype::datatypes.find(datatype::datatypes.from_int(access.type));
  if (operation) words.add(" (%s", operation->name);
  if (operation && access.type && type) words.add(", %s", type->name);
  if (operation) words.add(")");
  words.add(" by ");
  add_rank(words, window, access.rank);
}

const char* remedy_of(const Access& access, const Access& other) {
  switch (access.era) {
    case Era::fence:
      return "MPI_Win_fence between them orders them";
    case Era::started:
      return "let each have an exposure epoch of its own (MPI_Win_post to MPI_Win_wait)";
    case Era::passive:
      return access.rank == other.rank
                 ? "MPI_Win_flush between them orders them"
                 : "MPI_LOCK_EXCLUSIVE keeps them apart, or a flush before the other rank is told";
  }
  return "";
}

// These are bits of JobHeader::notes_given; world/portability.cpp has others.
enum Note : std::uint32_t { not_copied = 1u << 28, too_many = 1u << 29 };

void say_once(Note note, const char* text) {
  std::uint32_t& given =
      transport::is_attached() ? transport::job().notes_given : one_sided.notes_given;
  // relaxed: no other data is published by this bit.
  if (std::atomic_ref(given).fetch_or(note, std::memory_order_relaxed) & note) return;
  print_message(text);
}

}  // namespace

Error accesses_conflict(const Window& window, int target, const Access& access, const Access& other,
                        Clash why) {
  char text[460];
  Words words(text);
  words.add("conflict in ");
  add_window(words, window);
  words.add(": ");
  add_bytes(words, window, target, std::max(access.first, other.first),
            std::min(access.last, other.last));
  words.add(": ");
  add_access(words, window, access);
  words.add(" while ");
  add_access(words, window, other);
  words.add(" is not complete; ");
  if (why == Clash::operations) words.add("only one operation may be used at a time: ");
  if (why == Clash::types) words.add("only one datatype may be used at a time: ");
  words.add("%s", remedy_of(access, other));
  return fail(MPI_ERR_RMA_CONFLICT, "%s", text);
}

Error store_conflicts(const Window& window, int target, const Access& access, std::int64_t first,
                      std::int64_t last) {
  char text[460];
  Words words(text);
  words.add("conflict in ");
  add_window(words, window);
  words.add(": ");
  add_bytes(words, window, target, first, last);
  words.add(": ");
  words.add("a store by ");
  add_rank(words, window, target);
  if (window.flavor == MPI_WIN_FLAVOR_SHARED) words.add(" or one that shares its memory");
  words.add(" (its program, a receive or the result of an operation) while ");
  add_access(words, window, access);
  words.add(" is not complete; %s", remedy_of(access, access));
  return fail(MPI_ERR_RMA_CONFLICT, "%s", text);
}

void say_not_copied(const Window& window, MPI_Aint bytes_max) {
  char text[400];
  Words words(text);
  words.add("--check: ");
  add_window(words, window);
  words.add(
      " has %lld bytes here: stores to windows of more than %lld KiB a rank are not looked for, "
      "only operations (said once)",
      static_cast<long long>(window.size), static_cast<long long>(bytes_max >> 10));
  say_once(not_copied, text);
}

void say_too_many(const Window& window) {
  char text[400];
  Words words(text);
  words.add("--check: ");
  add_window(words, window);
  words.add(
      " has more than %u places at a rank that nothing orders: further ones are not looked at "
      "(said once)",
      AccessTable::accesses_max);
  say_once(too_many, text);
}

}  // namespace baton::window
