#include "window/check_access.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "datatype/runs.hpp"
#include "transport/heap.hpp"
#include "window/change.hpp"
#include "window/conflict.hpp"
#include "window/reach.hpp"
#include "window/spot.hpp"
#include "world/agree/agree.hpp"

namespace baton::window {

// This is what a window keeps under `mpiexec --check`.
struct WindowChecks {
  AccessTable** tables;     // by rank
  bool* is_private;         // by rank; nobody else has this table mapped: our accesses alone
  bool exported = false;    // our table lies in memory that others can map
  bool has_copies = false;  // tables have copies of the window, which must not be too long
  bool is_apart = false;    // some ranks' tables are not visible to all others
};

// This is an access as it travels to its target.
struct Sent {
  Access access;
  std::int32_t target;
};

namespace {

// Stores to longer windows of a rank are not searched for: the copy takes as much memory again in
// the job's file, which may be small.
constexpr MPI_Aint copied_bytes_max = 1 << 20;

AccessTable& own_table(const Window& window) {
  return *window.checks->tables[window.rank()];
}

AccessTable* make_private_table() {
  void* memory = std::calloc(1, AccessTable::bytes_for(0));
  return memory ? new (memory) AccessTable : nullptr;
}

AccessTable* make_own_table(Window& window, MPI_Aint copied) {
  void* memory = nullptr;
  const std::size_t bytes = AccessTable::bytes_for(static_cast<std::size_t>(copied));
  if (transport::exported_heap.allocate(bytes, cache_line_bytes, nullptr, true, &memory))
    memory = nullptr;
  window.checks->exported = memory != nullptr;
  return memory ? new (memory) AccessTable : make_private_table();
}

// These bits say what a rank can map of all others.
constexpr std::uint64_t all_tables = 1, all_memory = 2;

// Maps the tables of the other ranks. Returns whether all ranks' tables and memory are mapped here,
// as the bits above.
std::uint64_t map_tables(Window& window, const std::uint64_t* addresses) {
  bool memory_too = true, tables = true;
  for (int rank = 0; rank < window.ranks(); ++rank) {
    Target& target = window.targets[rank];
    reach(window, target);
    memory_too &= target.mapped || target.bytes == 0;
    tables &= addresses[rank] != 0;
    if (rank == window.rank()) continue;
    char* memory = nullptr;
    if (addresses[rank] && target.local_rank != not_on_this_node)
      memory = transport::exported_heap.reach(target.local_rank,
                                              reinterpret_cast<const void*>(addresses[rank]));
    tables &= memory != nullptr;
    AccessTable* table = memory ? reinterpret_cast<AccessTable*>(memory) : make_private_table();
    BATON_INVARIANT(table != nullptr);
    window.checks->tables[rank] = table;
    window.checks->is_private[rank] = memory == nullptr;
  }
  return (tables ? all_tables : 0) | (memory_too ? all_memory : 0);
}

world::Members members_of(const Window& window) {
  return window.comm->members(world::agreement_tag);
}

Era era_of(const Window& window) {
  if (window.epoch == Epoch::fence) return Era::fence;
  return window.epoch == Epoch::started ? Era::started : Era::passive;
}

// Looks for stores by the target itself: among the given bytes, those that no longer hold what the
// incomplete operations of an era have left there.
Error find_stores(Window& window, int rank, AccessTable& table, const char* memory, Era era,
                  std::int64_t first, std::int64_t last) {
  for (const Access& access : table) {
    const std::int64_t begin = std::max(first, access.first), end = std::min(last, access.last);
    Difference found;
    if (access.era != era || access.reads_only || begin >= end ||
        !find_difference(memory + begin, table.copy() + begin, end - begin, &found))
      continue;
    return store_conflicts(window, rank, access, begin + found.first,
                           begin + found.first + found.bytes);
  }
  return MPI_SUCCESS;
}
Error find_own_stores(Window& window, Era era) {
  AccessTable& table = own_table(window);
  if (!window.checks->has_copies || !table.has_copy) return MPI_SUCCESS;
  return find_stores(window, window.rank(), table, static_cast<const char*>(window.base), era, 0,
                     window.size);
}

void forget(Window& window, Era era) {
  own_table(window).remove([&](const Access& access) { return access.era == era; });
}

// Lists what this rank has done since the last fence to ranks that do not see it in their tables,
// as much as fits. Returns the number of entries.
std::uint64_t list_unseen(const Window& window, Sent* list) {
  std::uint64_t count = 0;
  for (int rank = 0; rank < window.ranks(); ++rank) {
    if (rank == window.rank() || !window.checks->is_private[rank]) continue;
    for (const Access& access : *window.checks->tables[rank])
      if (access.era == Era::fence && count < AccessTable::accesses_max)
        list[count++] = {access, rank};
  }
  return count;
}

// Checks the accesses of other ranks to this rank's memory, as they have sent them.
Error judge_sent(Window& window, const Sent* list, std::uint64_t count) {
  AccessTable& table = own_table(window);
  const std::uint32_t number = table.lock();
  Error error = MPI_SUCCESS;
  for (const Sent* sent = list; sent < list + count && !error; ++sent) {
    if (sent->target != window.rank()) continue;
    Clash why;
    const Access* other = table.find_clash(sent->access, window.hints.same_op, &why);
    if (other != table.end())
      error = accesses_conflict(window, window.rank(), sent->access, *other, why);
    else
      (void)table.add(sent->access);
  }
  table.unlock(number);
  return error;
}

// Checks at a fence where ranks cannot all reach each other's tables: each rank sends all others
// the accesses that it has made. No rank does anything else meanwhile.
Error find_across_nodes(Window& window) {
  const auto ranks = static_cast<std::size_t>(window.ranks());
  auto* counts = static_cast<std::uint64_t*>(std::malloc(ranks * sizeof(std::uint64_t)));
  auto* mine = static_cast<Sent*>(std::calloc(AccessTable::accesses_max, sizeof(Sent)));
  // The other ranks would wait for ever if this rank left here, so the job ends without this
  // memory.
  BATON_INVARIANT(counts && mine);
  const std::uint64_t count = list_unseen(window, mine);
  Error error = world::agree_allgather(members_of(window), &count, sizeof count, counts);
  const std::uint64_t most = error ? 0 : *std::max_element(counts, counts + ranks);
  if (most > 0) {
    auto* all = static_cast<Sent*>(std::malloc(ranks * most * sizeof(Sent)));
    BATON_INVARIANT(all != nullptr);
    error = world::agree_allgather(members_of(window), mine,
                                   static_cast<std::int64_t>(most * sizeof(Sent)), all);
    for (std::size_t rank = 0; rank < ranks && !error; ++rank)
      error = judge_sent(window, all + rank * most, counts[rank]);
    std::free(all);
  }
  std::free(mine);
  std::free(counts);
  return error;
}

// Forgets this rank's accesses in the tables that nobody else sees.
void forget_private(Window& window, Era era) {
  for (int rank = 0; rank < window.ranks(); ++rank)
    if (window.checks->is_private[rank])
      window.checks->tables[rank]->remove([&](const Access& access) { return access.era == era; });
}

}  // namespace

void begin_checks(Window& window) {
  const auto ranks = static_cast<std::size_t>(window.ranks());
  auto* words = static_cast<std::uint64_t*>(std::calloc(ranks, sizeof(std::uint64_t)));
  auto* tables = static_cast<AccessTable**>(std::calloc(ranks, sizeof(AccessTable*)));
  auto* is_private = static_cast<bool*>(std::calloc(ranks, sizeof(bool)));
  auto* checks = new (std::nothrow) WindowChecks{tables, is_private};
  // The other ranks wait for this rank below, so it must have this memory.
  BATON_INVARIANT(words && tables && is_private && checks);
  window.checks = checks;
  const bool is_long = window.size > copied_bytes_max;
  if (is_long) say_not_copied(window, copied_bytes_max);
  const bool wants_copy = !window.is_dynamic() && !is_long;
  AccessTable* own = make_own_table(window, wants_copy ? window.size : 0);
  BATON_INVARIANT(own != nullptr);
  own->has_copy = wants_copy && checks->exported;
  tables[window.rank()] = own;
  is_private[window.rank()] = !checks->exported;
  const std::uint64_t address = checks->exported ? reinterpret_cast<std::uint64_t>(own) : 0;
  // An error here means that a rank is gone; the calls that follow will report it.
  (void)world::agree_allgather(members_of(window), &address, sizeof address, words);
  const std::uint64_t reached = map_tables(window, words);
  (void)world::agree_allgather(members_of(window), &reached, sizeof reached, words);
  std::uint64_t by_all = reached;
  for (std::size_t rank = 0; rank < ranks; ++rank) by_all &= words[rank];
  std::free(words);
  checks->is_apart = !(by_all & all_tables);
  checks->has_copies = !checks->is_apart && (by_all & all_memory);
}

void end_checks(Window& window) {
  WindowChecks* checks = window.checks;
  if (!checks) return;
  // The other ranks may have released their tables already: we must not look into them.
  for (int rank = 0; rank < window.ranks(); ++rank)
    if (checks->is_private[rank]) std::free(checks->tables[rank]);
  if (checks->exported) (void)transport::exported_heap.release(checks->tables[window.rank()]);
  std::free(checks->is_private);
  std::free(checks->tables);
  delete checks;
  window.checks = nullptr;
}

template <class Use>
bool CheckedAccess::for_each_run(Use&& use) const {
  const std::uint64_t origin = window_.is_dynamic() ? 0 : spot_.target->address;
  return datatype::for_each_run(*place_.type, reinterpret_cast<char*>(spot_.address - origin),
                                place_.count, [&](char* run, std::int64_t bytes) {
                                  return use(reinterpret_cast<std::int64_t>(run), bytes);
                                });
}

Error CheckedAccess::judge() {
  Error error = MPI_SUCCESS;
  const bool same_op = window_.hints.same_op;
  for_each_run([&](std::int64_t first, std::int64_t bytes) {
    access_.first = first;
    access_.last = first + bytes;
    Clash why;
    const Access* other = table_->find_clash(access_, same_op, &why);
    if (other != table_->end())
      error = accesses_conflict(window_, place_.rank, access_, *other, why);
    else if (compares_)
      error = find_stores(window_, place_.rank, *table_, spot_.target->memory, access_.era, first,
                          first + bytes);
    return error == MPI_SUCCESS;
  });
  return error;
}

Error CheckedAccess::begin() {
  if (Error error = find_spot(window_, place_, &spot_)) return error;
  AccessTable* table = spot_.target ? window_.checks->tables[place_.rank] : nullptr;
  if (!table || place_.bytes() == 0) return MPI_SUCCESS;
  access_.rank = window_.rank();
  access_.act = act_;
  access_.era = era_of(window_);
  access_.reads_only = act_ == Act::get || (operation_ && operation_->handle == MPI_NO_OP);
  if (operation_) access_.operation = datatype::operations.to_int(operation_->handle);
  Elements elements;
  elements.type = act_ == Act::compare_and_swap ? place_.type : nullptr;
  // The operation itself will report a datatype or operation that cannot be accumulated.
  if (operation_ && describe(*operation_, *place_.type, &elements)) return MPI_SUCCESS;
  if (elements.type) {
    access_.type = datatype::datatypes.to_int(elements.type->handle);
    access_.element = elements.type->element;
  }
  table_ = table;
  number_ = table->lock();
  compares_ = access_.era != Era::passive && window_.checks->has_copies && table->has_copy;
  const Error error = judge();
  // An operation that goes by messages may wait for its target, which may need the table's lock.
  if (error || reach_of(spot_).is_remote()) end(error);
  return error;
}

void CheckedAccess::end(Error error) {
  if (!table_) return;
  bool fits = true;
  if (!error)
    for_each_run([&](std::int64_t first, std::int64_t bytes) {
      access_.first = first;
      access_.last = first + bytes;
      fits &= table_->add(access_);
      if (compares_)
        std::memcpy(table_->copy() + first, spot_.target->memory + first,
                    static_cast<std::size_t>(bytes));
      return true;
    });
  table_->unlock(number_);
  table_ = nullptr;
  if (!fits) say_too_many(window_);
}

Error fence_checked(Window& window, int assertion) {
  const bool is_free = window.epoch == Epoch::none || window.epoch == Epoch::fence;
  // Outside a fence epoch the fence only reports its error.
  if (!is_free || window.exposed) return fence(window, assertion);
  // After this all operations on mapped memory are over at all ranks, and nobody begins others
  // before the end of the fence.
  if (Error error = meet(window)) return error;
  Error found = window.checks->is_apart ? find_across_nodes(window) : MPI_SUCCESS;
  AccessTable& table = own_table(window);
  const std::uint32_t number = table.lock();
  if (!window.checks->is_apart) found = find_own_stores(window, Era::fence);
  const Explanation why = last_explanation();
  forget(window, Era::fence);
  table.unlock(number);
  forget_private(window, Era::fence);
  const Error error = fence(window, assertion);
  if (error || !found) return error;
  last_explanation() = why;
  return found;
}

Error complete_checked(Window& window) {
  const Error error = complete(window);
  forget_private(window, Era::started);
  return error;
}

Error note_exposure_end(Window& window) {
  AccessTable& table = own_table(window);
  const std::uint32_t number = table.lock();
  const Error error = find_own_stores(window, Era::started);
  forget(window, Era::started);
  table.unlock(number);
  return error;
}

void note_flush(Window& window, int rank, bool local) {
  for (int other = 0; other < window.ranks(); ++other) {
    AccessTable* table = window.checks->tables[other];
    if (rank != all_targets && rank != other) continue;
    const std::uint32_t number = table->lock();
    table->remove([&](const Access& access) {
      return access.rank == window.rank() && access.era == Era::passive &&
             (!local || access.act == Act::get);
    });
    table->unlock(number);
  }
}

}  // namespace baton::window
