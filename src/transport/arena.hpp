// This is the process's view of the job's arena: the mapping, and where each part of each slice
// lies. It is used by every way of transport; arena_attachment.hpp maps it. Invariant: the arena is
// mapped once and never moved.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "base/identity.hpp"
#include "lockfree/advert.hpp"
#include "lockfree/doorbell.hpp"
#include "lockfree/job.hpp"
#include "lockfree/offer.hpp"
#include "lockfree/ring.hpp"
#include "lockfree/shared_ring.hpp"
#include "lockfree/staging.hpp"

namespace baton::transport {

using lockfree::Hardware;
using Doorbell = lockfree::Doorbell<Hardware>;
using Advert = lockfree::Advert<Hardware>;
using Offer = lockfree::Offer<Hardware>;
using Line = lockfree::Line<Hardware>;
using ConsumerLines = lockfree::ConsumerLines<Hardware>;
using SharedRingControl = lockfree::SharedRingControl<Hardware>;
using Progress = lockfree::Progress<Hardware>;

struct Arena {
  lockfree::JobHeader* job = nullptr;
  lockfree::SliceLayout layout{};
  LocalRank rank{};
  std::uint32_t ranks = 1;
  int wake_pipe[2] = {-1,
                      -1};  // by which others wake this rank (sleep.cpp), in a job of several nodes
  int* pipes_to_others = nullptr;

  char* part(LocalRank owner, std::uint64_t offset) const {
    return lockfree::slice(job, number_of(owner)) + offset;
  }
  Doorbell& doorbell(LocalRank owner) const {
    return *reinterpret_cast<Doorbell*>(lockfree::mailbox(job, number_of(owner)));
  }
  // Returns the control block of the ring that all senders to that rank share, in a job that has
  // such rings.
  SharedRingControl& shared_ring_control(LocalRank receiver) const {
    return *reinterpret_cast<SharedRingControl*>(lockfree::mailbox(job, number_of(receiver)) +
                                                 lockfree::shared_ring_control_offset);
  }
  Line* shared_ring(LocalRank receiver) const {
    return reinterpret_cast<Line*>(lockfree::mailbox(job, number_of(receiver)) + page_bytes);
  }
  Offer* offers(LocalRank owner) const {
    return reinterpret_cast<Offer*>(part(owner, layout.offers));
  }
  ConsumerLines* consumer(LocalRank receiver, LocalRank sender) const {
    return reinterpret_cast<ConsumerLines*>(part(receiver, layout.heads)) + number_of(sender);
  }
  Line* ring(LocalRank receiver, LocalRank sender) const {
    return reinterpret_cast<Line*>(
        part(receiver, layout.rings + number_of(sender) * lockfree::ring_bytes));
  }
  // Returns the memory at a receiver through which a sender deposits data: a page beside the ring,
  // then the ring.
  char* deposit(LocalRank receiver, LocalRank sender) const {
    return part(receiver, deposit_offset(sender));
  }
  std::uint64_t deposit_offset(LocalRank sender) const {
    return layout.deposits +
           number_of(sender) * lockfree::deposit_bytes(job->rings.deposit.ring_bytes);
  }
  Advert* adverts(LocalRank receiver, LocalRank sender) const {
    constexpr std::uint64_t pair_bytes = lockfree::adverts_per_pair * lockfree::advert_bytes;
    return reinterpret_cast<Advert*>(
        part(receiver, layout.adverts + number_of(sender) * pair_bytes));
  }
  // Returns the progress of the stream whose window begins with this chunk.
  Progress& progress(LocalRank owner, std::uint32_t chunk) const {
    return reinterpret_cast<Progress*>(part(owner, layout.progress))[chunk];
  }
  char* chunk(LocalRank owner, std::uint32_t chunk) const {
    return part(owner, layout.staging + chunk * lockfree::chunk_bytes);
  }
  TrafficRecord& record(LocalRank owner) const {
    return *reinterpret_cast<TrafficRecord*>(part(owner, layout.record));
  }
  lockfree::MemoryRow& memory(LocalRank owner) const {
    return *lockfree::memory_row(job, number_of(owner));
  }
  lockfree::RankRow& row(LocalRank owner) const {
    return *lockfree::rank_row(job, number_of(owner));
  }
};

extern Arena arena;

// Returns the descriptor of the job's memory file, for reserving and mapping. The program may have
// closed it and opened another file under its number, which must not be grown or mapped: so this
// checks first, and opens our file anew from mpiexec where it can. -1: the file is lost; memory
// that is mapped stays usable. It is never called per message.
int job_file();
// Sets the descriptor at attachment; the process `launcher` (0: there is none) has the file, too.
void keep_job_file(int descriptor, int launcher);

}  // namespace baton::transport
