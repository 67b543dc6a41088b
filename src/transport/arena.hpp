// Arenas: memory that processes of one node share. The job's own has a slot for each of its ranks
// here; an arena of meeting has slots for processes of several jobs. This header says where each
// part of each slot lies. It is used by every way of transport; arena_attachment.hpp maps arenas.
// Invariant: an arena is mapped once and never moved.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "lockfree/advert.hpp"
#include "lockfree/doorbell.hpp"
#include "lockfree/job.hpp"
#include "lockfree/rendezvous_entry.hpp"
#include "lockfree/ring.hpp"
#include "lockfree/shared_ring.hpp"
#include "lockfree/staging.hpp"
#include "platform/lock.hpp"

namespace baton::transport {

using lockfree::Hardware;
using Doorbell = lockfree::Doorbell<Hardware>;
using Advert = lockfree::Advert<Hardware>;
using RendezvousEntry = lockfree::RendezvousEntry<Hardware>;
using Line = lockfree::Line<Hardware>;
using ConsumerLines = lockfree::ConsumerLines<Hardware>;
using SharedRingControl = lockfree::SharedRingControl<Hardware>;
using Progress = lockfree::Progress<Hardware>;

struct Slot;
struct MemoryFile;       // arena.cpp
struct AttachedRegions;  // attached.cpp
struct PageRange;        // node_memory.hpp

// An arena as this process sees it: the mapping, and what this process keeps about the others that
// are attached to it.
struct Arena {
  lockfree::JobHeader* job = nullptr;
  lockfree::SliceLayout layout{};
  std::uint32_t own = 0;    // the index of this process's slot
  std::uint32_t slots = 1;  // how many processes have their place here
  Arena* next = nullptr;    // another arena to which this process is attached
  // The processes of the slots, in an arena of meeting; null: the ranks of our own job.
  Process* processes = nullptr;
  MemoryFile* file = nullptr;
  int wake_pipe[2] = {-1, -1};     // by which others wake this process (sleep.cpp); its own arena's
  int* pipes_to_others = nullptr;  // by slot (sleep.cpp)
  std::uint8_t* verdicts = nullptr;      // by slot (move/reach.cpp)
  std::uint64_t* probe_word = nullptr;   // ours, which others read (move/reach.cpp)
  AttachedRegions** attached = nullptr;  // by slot (attached.cpp)
  bool maps_offered = false;             // what others offer may be mapped here (attached.cpp)
  int failed_probe_errno = 0;            // our own job's, the last (move/reach.cpp)
  PageRange* page_ranges = nullptr;      // ours, by offset (node_memory.cpp)

  Slot own_slot();
};

// The arena of this process's own job.
extern Arena job_arena;
// Protects the list of arenas, which a sleeping thread goes through while another one leads.
extern platform::Lock arenas_lock;

// The place of one process in an arena that it shares with this one. Invariant: what belongs to a
// pair of processes is found by two slots of one arena.
struct Slot {
  Arena* arena = nullptr;  // null: the process shares no memory with this one
  std::uint32_t index = 0;

  Slot() = default;
  Slot(Arena& in, std::uint32_t at) : arena(&in), index(at) {}
  // The ranks of our own job on this node have their slots in the job's arena.
  Slot(LocalRank rank) : arena(&job_arena), index(number_of(rank)) {}
  friend bool operator==(const Slot&, const Slot&) = default;

  // Return this process's slot in the same arena, any other, and how many there are.
  Slot own() const { return {*arena, arena->own}; }
  Slot at(std::uint32_t number) const { return {*arena, number}; }
  std::uint32_t count() const { return arena->slots; }
  bool is_own() const { return index == arena->own; }

  char* part(std::uint64_t offset) const { return lockfree::slice(arena->job, index) + offset; }
  Doorbell& doorbell() const {
    return *reinterpret_cast<Doorbell*>(lockfree::mailbox(arena->job, index));
  }
  // Returns the control block of the ring that all senders to this slot share, in an arena that has
  // such rings; and that ring.
  SharedRingControl& shared_ring_control() const {
    return *reinterpret_cast<SharedRingControl*>(lockfree::mailbox(arena->job, index) +
                                                 lockfree::shared_ring_control_offset);
  }
  Line* shared_ring() const {
    return reinterpret_cast<Line*>(lockfree::mailbox(arena->job, index) + page_bytes);
  }
  RendezvousEntry* rendezvous_entries() const {
    return reinterpret_cast<RendezvousEntry*>(part(arena->layout.rendezvous_entries));
  }
  // Returns the ring in which the lines of a sender come to this slot, and the lines of its
  // consumer.
  ConsumerLines* consumer(Slot sender) const {
    return reinterpret_cast<ConsumerLines*>(part(arena->layout.heads)) + sender.index;
  }
  Line* ring(Slot sender) const { return reinterpret_cast<Line*>(part(ring_offset(sender))); }
  std::uint64_t ring_offset(Slot sender) const {
    return arena->layout.rings + sender.index * lockfree::ring_bytes;
  }
  // Returns the memory through which a sender deposits data at this slot: a page beside the ring,
  // then the ring.
  char* deposit(Slot sender) const { return part(deposit_offset(sender)); }
  std::uint64_t deposit_offset(Slot sender) const {
    return arena->layout.deposits +
           sender.index * lockfree::deposit_bytes(arena->job->rings.deposit.ring_bytes);
  }
  Advert* adverts(Slot sender) const {
    return reinterpret_cast<Advert*>(part(adverts_offset(sender)));
  }
  std::uint64_t adverts_offset(Slot sender) const {
    constexpr std::uint64_t pair_bytes = lockfree::adverts_per_pair * lockfree::advert_bytes;
    return arena->layout.adverts + sender.index * pair_bytes;
  }
  // Returns the progress of the stream whose staging buffer begins with this chunk.
  Progress& progress(std::uint32_t chunk) const {
    return reinterpret_cast<Progress*>(part(arena->layout.progress))[chunk];
  }
  char* chunk(std::uint32_t chunk) const { return part(chunk_offset(chunk)); }
  std::uint64_t chunk_offset(std::uint32_t chunk) const {
    return arena->layout.staging + chunk * lockfree::chunk_bytes;
  }
  TrafficRecord& record() const {
    return *reinterpret_cast<TrafficRecord*>(part(arena->layout.record));
  }
  lockfree::MemoryRow& memory() const { return *lockfree::memory_row(arena->job, index); }
  lockfree::RankRow& row() const { return *lockfree::rank_row(arena->job, index); }
};

inline Slot Arena::own_slot() {
  return {*this, own};
}

// Returns the descriptor of the arena's memory file, for reserving and mapping. The program may
// have closed it and opened another file under its number, which must not be grown or mapped: so
// this checks first, and opens our file anew from mpiexec where it can. -1: the file is lost;
// memory that is mapped stays usable. It is never called per message.
int file_of(const Arena& arena);
// Keeps the descriptor at attachment; the process `launcher` (0: there is none) has the file, too.
// False: no memory for it.
[[nodiscard]] bool keep_file(Arena& arena, int descriptor, int launcher);
// Closes the file.
void forget_file(Arena& arena);
// Returns the descriptor of our own job's.
inline int job_file() {
  return file_of(job_arena);
}

}  // namespace baton::transport
