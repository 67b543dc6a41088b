// These are the results of `choose` for all sizes, computed once: for communicators of the same
// size that the machine divides alike, for a kind of call and its traits, the sizes at which
// another algorithm begins. They are used by select. Invariant: a list that has been made never
// changes; the process owns it.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.hpp"
#include "collective/choose.hpp"
#include "world/communicator.hpp"
#include "world/node_layout.hpp"

namespace baton::collective {

// This is an algorithm, up to a size; a call takes the first cutoff whose `bytes_to` is not below
// its own size.
struct Cutoff {
  std::int64_t bytes_to;
  std::uint64_t* calls;  // by size class, for mpiexec --explain
  Algorithm algorithm;
  std::uint8_t rounds;
};

// These bits are what the choice depends on besides kind, ranks, their groups and size.
enum CallTrait : unsigned {
  trait_ordered = 1,
  trait_uneven = 2,
  trait_in_place = 4,
  trait_no_room = 8,
  trait_not_direct = 16
};
inline constexpr int trait_sets = 32;

// These are the cutoffs of all communicators that have the same size, division by the machine,
// distance, and layout on one node or several.
struct Cutoffs {
  // A list is null until it is first needed.
  std::atomic<const Cutoff*> lists[collective_kind_count][trait_sets] = {};
  int ranks = 0;
  Grouping grouping = Grouping::none;
  bool near = false;
  bool spans_jobs = false;
  world::NodeLayout nodes;
  Cutoffs* next = nullptr;
};

// Makes the list that is missing and returns the cutoff of this call; without memory it makes only
// that cutoff, in `spare`.
BATON_COLD const Cutoff& make_cutoff(Communicator& comm, CollectiveKind kind, unsigned traits,
                                     std::int64_t bytes, Cutoff& spare);

BATON_INLINE const Cutoff& find_cutoff(Communicator& comm, CollectiveKind kind, unsigned traits,
                                       std::int64_t bytes, Cutoff& spare) {
  // ORDER collective.cutoffs: acquire here, release in make_cutoff; what it points to is complete.
  const Cutoffs* all = std::atomic_ref(comm.cutoffs).load(std::memory_order_acquire);
  if (BATON_UNLIKELY(!all)) return make_cutoff(comm, kind, traits, bytes, spare);
  // ORDER collective.cutoff_list: acquire here, release in make_cutoff; the list is complete.
  const Cutoff* cutoff = all->lists[static_cast<int>(kind)][traits].load(std::memory_order_acquire);
  if (BATON_UNLIKELY(!cutoff)) return make_cutoff(comm, kind, traits, bytes, spare);
  while (cutoff->bytes_to < bytes) ++cutoff;
  return *cutoff;
}

}  // namespace baton::collective
