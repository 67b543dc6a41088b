// What `choose` says of all sizes, worked out once: for communicators of a size that the machine
// divides alike, a kind of call and what else is known of it, the sizes at which another algorithm
// begins. Used by select. Invariant: what has been made stays as it is; its owner is the process.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/check.hpp"
#include "collective/choose.hpp"
#include "world/communicator.hpp"
#include "world/node_layout.hpp"

namespace baton::collective {

// An algorithm, up to a size; the first one whose `bytes_to` is not below the call's is its.
struct Cutoff {
  std::int64_t bytes_to;
  std::uint64_t* calls;  // by size class, for mpiexec --explain
  Algorithm algorithm;
  std::uint8_t rounds;
};

// What choice depends on besides kind, ranks, their groups and size, as bits.
enum CallTrait : unsigned {
  trait_ordered = 1,
  trait_uneven = 2,
  trait_in_place = 4,
  trait_no_room = 8,
  trait_not_direct = 16
};
inline constexpr int trait_sets = 32;

// Of all communicators of a size, of how the machine divides them, on one node or on several.
struct Cutoffs {
  // A null list has not been wanted so far.
  std::atomic<const Cutoff*> lists[collective_kind_count][trait_sets] = {};
  int ranks = 0;
  Grouping grouping = Grouping::none;
  world::NodeLayout nodes;
  Cutoffs* next = nullptr;
};

// Works out what is missing, or, without memory, what this call needs, into `spare`.
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
