#include "world/hint.hpp"

#include <cstring>
#include <iterator>

#include "world/memory_kind.hpp"

namespace baton::world {

namespace {

constexpr const char* names[] = {
    "mpi_assert_no_any_tag",
    "mpi_assert_no_any_source",
    "mpi_assert_exact_length",
    "mpi_assert_allow_overtaking",
    "mpi_assert_strict_persistent_collective_ordering",
};

void update_order(Hints& hints, const Info& info) {
  char value[12] = "";
  info.get(order_key, value, sizeof value);
  for (std::size_t i = 0; i < std::size(order_words); ++i)
    if (std::strcmp(value, order_words[i]) == 0)
      // relaxed: any call may see the old order or the new one.
      std::atomic_ref(hints.order)
          .store(static_cast<std::uint8_t>(i + 1), std::memory_order_relaxed);
}

}  // namespace

void update_hints(Hints& hints, const Info* info) {
  if (!info) return;
  std::atomic_ref assertions(hints.assertions);
  std::uint32_t bit = 1;
  for (const char* name : names) {
    char value[8] = "";
    info->get(name, value, sizeof value);
    // relaxed, both: any call may see the old hint or the new one.
    if (std::strcmp(value, "true") == 0) assertions.fetch_or(bit, std::memory_order_relaxed);
    if (std::strcmp(value, "false") == 0) assertions.fetch_and(~bit, std::memory_order_relaxed);
    bit <<= 1;
  }
  update_order(hints, *info);
  char kinds[MPI_MAX_INFO_VAL];
  if (info->get(asserted_kinds_key, kinds, sizeof kinds))
    promise_kinds(hints, keep_asserted_kinds(kinds));
}

void promise_kinds(Hints& hints, const char* kinds) {
  if (!kinds) return;
  // ORDER hint.kinds: release here, acquire in describe_hints; the text.
  std::atomic_ref(hints.asserted_kinds).store(kinds, std::memory_order_release);
  platform::store_shared(hints.promises_host, are_host_kinds(kinds));
}

Error describe_hints(const Hints& hints, const char* memory_kinds, Info& info) {
  const std::uint32_t assertions = platform::load_shared(hints.assertions);
  std::uint32_t bit = 1;
  for (const char* name : names) {
    if (Error error = info.set(name, assertions & bit ? "true" : "false")) return error;
    bit <<= 1;
  }
  if (Error error = info.set(order_key, order_words[static_cast<int>(order_of(hints))]))
    return error;
  if (Error error = info.set(memory_kinds_key, memory_kinds)) return error;
  // ORDER hint.kinds: acquire here, release in update_hints.
  const char* kinds = std::atomic_ref(const_cast<const char*&>(hints.asserted_kinds))
                          .load(std::memory_order_acquire);
  return kinds ? info.set(asserted_kinds_key, kinds) : MPI_SUCCESS;
}

}  // namespace baton::world
