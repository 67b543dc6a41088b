#include "collective/cutoffs.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "base/settings.hpp"
#include "collective/room/machine_groups.hpp"
#include "message/core/engine.hpp"
#include "world/node_layout.hpp"

namespace baton::collective {

namespace {

struct AllCutoffs {
  platform::Lock lock;  // held while cutoffs are made
  Cutoffs* first = nullptr;
};
AllCutoffs all_cutoffs;

// Returns how the machine divides a communicator. Most communicators are not asked, because no
// algorithm in question needs the division.
Grouping grouping_of(const Communicator& comm) {
  const bool matters = std::ranges::any_of(selection(), [&comm](const SelectionRow& row) {
    return (row_of(row.algorithm).needs & needs_groups) && row.ranks_from <= comm.size() &&
           comm.size() <= row.ranks_to &&
           (row.load == Load::any ||
            (row.load == Load::oversubscribed) == message::engine.oversubscribed);
  });
  return matters ? divide(comm).grouping : Grouping::none;
}

// Returns whether all ranks of a communicator are near each other, as far as mpiexec has found out:
// those that share a cache or a NUMA node with the first one share it with each other. Jobs that
// meet may have found out different things.
bool is_near(const Communicator& comm) {
  const std::uint32_t near_classes = transport::job().near_classes;
  auto farthest = PeerClass::l2;
  for (int rank = 0; near_classes != 0 && rank < comm.size(); ++rank) {
    const Process process = comm.collective.process(rank);
    if (!message::is_of_own_job(process)) return false;
    farthest =
        std::max(farthest, lockfree::peer_class(message::place_of(comm.collective.process(0)),
                                                message::place_of(process)));
  }
  return (near_classes >> static_cast<int>(farthest) & 1) != 0;
}

Situation situation_of(const Communicator& comm, CollectiveKind kind, unsigned traits) {
  Situation situation{kind, comm.size()};
  const world::NodeLayout nodes = world::node_layout(comm);
  situation.several_nodes = nodes.several;
  situation.shared_nodes = nodes.shared;
  situation.regular_nodes = nodes.regular;
  // Ranks of several jobs share no room, and each job has its own settings.
  const bool spans_jobs = comm.spans_jobs();
  situation.spans_jobs = spans_jobs;
  if (!situation.several_nodes && !spans_jobs) situation.grouping = grouping_of(comm);
  situation.near = !situation.several_nodes && is_near(comm);
  situation.commuting = !(traits & trait_ordered);
  situation.uneven = traits & trait_uneven;
  situation.in_place = traits & trait_in_place;
  situation.rooms = !(traits & trait_no_room);
  // Ranks learn only when they meet whether the kernel permits direct copies.
  situation.direct = !(traits & trait_not_direct);
  situation.oversubscribed = message::engine.oversubscribed && !spans_jobs;
  situation.room_bytes_max = settings.room_bytes_max;
  return situation;
}

Cutoff cutoff_of(const Choice& choice) {
  auto& calls = message::engine.collectives.calls;
  return {no_end, calls[static_cast<int>(choice.algorithm)][static_cast<int>(choice.reason)],
          choice.algorithm, row_of(choice.algorithm).rounds};
}

// Writes the cutoffs of all sizes one behind another to `place`, or only counts them where it is
// null.
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

world::NodeLayout nodes_of(const Situation& situation) {
  return {situation.several_nodes, situation.shared_nodes, situation.regular_nodes};
}

// Returns the cutoffs of communicators that are alike; null without memory.
Cutoffs* of_ranks(const Situation& situation) {
  Cutoffs* all = all_cutoffs.first;
  auto is_alike = [&situation](const Cutoffs& one) {
    return one.ranks == situation.ranks && one.grouping == situation.grouping &&
           one.near == situation.near && one.spans_jobs == situation.spans_jobs &&
           one.nodes == nodes_of(situation);
  };
  while (all && !is_alike(*all)) all = all->next;
  if (all) return all;
  all = new (std::nothrow) Cutoffs;
  if (!all) return nullptr;
  all->ranks = situation.ranks;
  all->grouping = situation.grouping;
  all->near = situation.near;
  all->spans_jobs = situation.spans_jobs;
  all->nodes = nodes_of(situation);
  all->next = all_cutoffs.first;
  return all_cutoffs.first = all;
}

}  // namespace

const Cutoff& make_cutoff(Communicator& comm, CollectiveKind kind, unsigned traits,
                          std::int64_t bytes, Cutoff& spare) {
  Situation situation = situation_of(comm, kind, traits);
  {
    platform::Guard guard(all_cutoffs.lock);
    if (Cutoffs* all = of_ranks(situation)) {
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
