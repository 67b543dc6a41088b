// This is the memory that processes of a node share, for the layers above: each part is found by
// the slot of its owner. The layout of the parts is private to this layer (arena.hpp). A local rank
// stands for its slot in the job's own arena.
// Invariant: a part is reserved before it is touched.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "transport/arena.hpp"
#include "transport/arena_attachment.hpp"
#include "transport/attached.hpp"
#include "transport/move/reach.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

// Lets the other ranks of the job copy in this process's memory. It is called once, at start.
inline void let_others_copy() {
  offer_probe_word(job_arena);
  offer_attaching(job_arena);
}
// Calls act(slot) for this process's slot in each arena that it is attached to.
template <class Do>
void each_own_slot(Do&& act) {
  platform::Guard guard(arenas_lock);
  for (Arena* arena = &job_arena; arena; arena = arena->next) act(arena->own_slot());
}
// Says which process has each slot of the arena, as this process numbers them. The array is from
// malloc, and is freed with the arena.
inline void set_processes(Slot own, Process* by_index) {
  own.arena->processes = by_index;
}
// Forgets the attachment in a child of this process, which is no rank: the mappings stay.
inline void forget_attachment() {
  job_arena = Arena{};
}
// Returns whether this process is attached; everything else here needs that.
inline bool is_attached() {
  return job_arena.job != nullptr;
}
inline LocalRank own_rank() {
  return static_cast<LocalRank>(job_arena.own);
}
inline std::uint32_t rank_count() {
  return job_arena.slots;
}
// Return whether the job has processes on other nodes, and how many it has in all.
inline bool spans_nodes() {
  return job_arena.job->processes_offset != 0;
}
inline std::uint32_t process_count() {
  return job_arena.job->world.processes;
}
// Returns the place of a process of a job of several nodes, and its network address.
inline lockfree::ProcessEntry& process_entry(Process process) {
  return *lockfree::process_entry(job_arena.job, number_of(process));
}
// These convert between processes of our job and their local ranks; `not_on_this_node` stands for
// all others.
inline Process process_at(LocalRank rank) {
  if (BATON_LIKELY(!spans_nodes())) return static_cast<Process>(number_of(rank));
  return static_cast<Process>(Slot(rank).row().launcher.process);
}
// Returns the process that has a slot, as this process numbers it.
inline Process process_at(Slot slot) {
  if (BATON_UNLIKELY(slot.arena->processes != nullptr)) return slot.arena->processes[slot.index];
  return process_at(static_cast<LocalRank>(slot.index));
}
inline LocalRank local_rank_of(Process process) {
  if (number_of(process) >= process_count()) return not_on_this_node;
  if (BATON_LIKELY(!spans_nodes())) return static_cast<LocalRank>(number_of(process));
  const lockfree::ProcessEntry& entry = process_entry(process);
  // On one machine that is taken for several nodes all ranks are in the arena.
  return entry.place.node == Slot(own_rank()).row().launcher.place.node
             ? static_cast<LocalRank>(entry.local_rank)
             : not_on_this_node;
}
// Returns the header that mpiexec has written for all ranks of the job.
inline lockfree::JobHeader& job() {
  return *job_arena.job;
}
// Returns a process's row of the status board.
inline lockfree::RankRow& status_row(Slot slot) {
  return slot.row();
}
// Returns whether a process has died in a job that goes on without it (mpiexec
// --continue-on-failure), as mpiexec tells, or a rank. All that it has written is visible then.
inline bool has_died(Slot slot) {
  // ORDER rank.died: acquire here, release in mpiexec, and in write_death.
  return status_row(slot).launcher.died.load(std::memory_order_acquire) != 0;
}
inline const lockfree::RankPlace& place_of(Slot slot) {
  return slot.row().launcher.place;
}
inline const lockfree::RankPlace& place_of(Process process) {
  return spans_nodes() ? process_entry(process).place : place_of(local_rank_of(process));
}
// Returns whether all senders to a slot begin in one ring that they share (node_link.hpp).
inline bool rings_are_shared(Slot slot) {
  return slot.arena->job->rings_shared;
}
inline Doorbell& doorbell(Slot slot) {
  return slot.doorbell();
}

// --- rendezvous entries: a process's own, by their numbers. A page of them may have no memory yet.
inline RendezvousEntry& rendezvous_entry(Slot owner, std::uint32_t number) {
  return owner.rendezvous_entries()[number];
}
inline constexpr std::uint32_t rendezvous_entries_per_page =
    page_bytes / lockfree::rendezvous_entry_bytes;
[[nodiscard]] inline Error reserve_entries(Slot owner, std::uint32_t page) {
  return reserve(owner, owner.arena->layout.rendezvous_entries + page * page_bytes, page_bytes);
}

// --- adverts: receives of `receiver` that `sender` may write into, by their numbers.
inline constexpr auto advert_count = static_cast<std::uint64_t>(lockfree::adverts_per_pair);
inline Advert& advert(Slot receiver, Slot sender, std::uint64_t number) {
  return receiver.adverts(sender)[number % advert_count];
}
[[nodiscard]] inline Error reserve_adverts(Slot receiver, Slot sender) {
  return reserve(receiver, receiver.adverts_offset(sender), advert_count * lockfree::advert_bytes);
}

// --- staging: chunks of `owner`, several of which are a staging buffer; and the progress to which
// a staging buffer is filled.
inline char* chunk(Slot owner, std::uint32_t number) {
  return owner.chunk(number);
}
[[nodiscard]] inline Error reserve_chunk(Slot owner, std::uint32_t number) {
  return reserve(owner, owner.chunk_offset(number), lockfree::chunk_bytes);
}
inline Progress& staging_progress(Slot owner, lockfree::StagingBuffer buffer) {
  return owner.progress(buffer.first());
}

// --- the memory through which `sender` deposits data at `receiver`, in a job that repeats the
// deposit study.
inline char* deposit_memory(Slot receiver, Slot sender) {
  return receiver.deposit(sender);
}
[[nodiscard]] inline Error reserve_deposit_memory(Slot receiver) {
  return reserve(receiver, receiver.deposit_offset(receiver.own()),
                 lockfree::deposit_bytes(receiver.arena->job->rings.deposit.ring_bytes));
}

}  // namespace baton::transport
