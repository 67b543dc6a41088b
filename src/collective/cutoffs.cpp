#include "collective/cutoffs.hpp"

#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "message/engine.hpp"

namespace baton::collective {

namespace {

platform::Lock cutoffs_lock;  // of making them
Cutoffs* made = nullptr;

Situation situation_of(int ranks, CollectiveKind kind, unsigned traits) {
  Situation situation{kind, ranks};
  situation.commuting = !(traits & trait_ordered);
  situation.uneven = traits & trait_uneven;
  situation.in_place = traits & trait_in_place;
  situation.rooms = !(traits & trait_no_room);
  // Whether the kernel permits it ranks see only when they meet.
  situation.direct = !(traits & trait_not_direct);
  situation.crowded = message::engine.crowded;
  situation.room_bytes_max = settings.room_bytes_max;
  return situation;
}

Cutoff cutoff_of(const Choice& choice) {
  auto& calls = message::engine.collectives.calls;
  return {no_end, calls[static_cast<int>(choice.algorithm)][static_cast<int>(choice.reason)],
          choice.algorithm, row_of(choice.algorithm).meetings};
}

// Of all sizes, one behind another; counts them only where there is no place.
int work_out(Situation situation, Cutoff* place) {
  int count = 0;
  Choice last{};
  for (std::int64_t bytes = 0; bytes < no_end; bytes = next_boundary(situation, selection())) {
    situation.bytes = bytes;
    const Choice choice = choose(situation, selection());
    const bool same =
        count > 0 && choice.algorithm == last.algorithm && choice.reason == last.reason;
    last = choice;
    if (same) continue;
    if (place && count > 0) place[count - 1].bytes_to = bytes - 1;
    if (place) place[count] = cutoff_of(choice);
    ++count;
  }
  return count;
}

const Cutoff* make_list(const Situation& situation) {
  auto bytes = static_cast<std::size_t>(work_out(situation, nullptr)) * sizeof(Cutoff);
  auto* list = static_cast<Cutoff*>(std::malloc(bytes));
  if (list) work_out(situation, list);
  return list;
}

// Those of communicators of so many ranks; null without memory.
Cutoffs* of_ranks(int ranks) {
  Cutoffs* all = made;
  while (all && all->ranks != ranks) all = all->next;
  if (all) return all;
  all = new (std::nothrow) Cutoffs;
  if (!all) return nullptr;
  all->ranks = ranks;
  all->next = made;
  return made = all;
}

}  // namespace

const Cutoff& make_cutoff(Communicator& comm, CollectiveKind kind, unsigned traits,
                          std::int64_t bytes, Cutoff& spare) {
  Situation situation = situation_of(comm.size(), kind, traits);
  {
    platform::Guard guard(cutoffs_lock);
    if (Cutoffs* all = of_ranks(comm.size())) {
      std::atomic<const Cutoff*>& list = all->lists[static_cast<int>(kind)][traits];
      // relaxed: under the lock.
      if (!list.load(std::memory_order_relaxed))
        // ORDER collective.cutoff_list: release here, acquire in find_cutoff; the list is complete.
        list.store(make_list(situation), std::memory_order_release);
      // ORDER collective.cutoffs: release here, acquire in find_cutoff.
      std::atomic_ref(comm.cutoffs).store(all, std::memory_order_release);
      const Cutoff* cutoff = list.load(std::memory_order_relaxed);  // relaxed: as above
      while (cutoff && cutoff->bytes_to < bytes) ++cutoff;
      if (cutoff) return *cutoff;
    }
  }
  situation.bytes = bytes;
  return spare = cutoff_of(choose(situation, selection()));
}

}  // namespace baton::collective
