// This is the memory that the ranks of a node share, for the layers above: each part is found by
// its owner. The layout of the parts is private to this layer (arena.hpp). Ranks here are local
// ranks.
// Invariant: a part is reserved before it is touched.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "transport/arena.hpp"
#include "transport/arena_attachment.hpp"
#include "transport/slice_memory.hpp"

namespace baton::transport {

// Attaches this process to the job's memory that mpiexec has made, as one of its ranks; or as the
// only rank of a program that was started without mpiexec. Errors are explained.
// `forget_attachment` is for a child of this process, which is no rank: it leaves the mappings
// alone.
[[nodiscard]] inline Error attach(int descriptor, LocalRank rank) {
  return attach_arena(descriptor, rank);
}
[[nodiscard]] inline Error attach_alone(std::uint32_t cpus_usable) {
  return make_lone_arena(cpus_usable);
}
inline void forget_attachment() {
  arena = Arena{};
}
// Returns whether this process is attached; everything else here needs that.
inline bool is_attached() {
  return arena.job != nullptr;
}
inline LocalRank own_rank() {
  return arena.rank;
}
inline std::uint32_t rank_count() {
  return arena.ranks;
}
// Return whether the job has processes on other nodes, and how many it has in all.
inline bool spans_nodes() {
  return arena.job->processes_offset != 0;
}
inline std::uint32_t process_count() {
  return arena.job->world.processes;
}
// Returns the place of a process of a job of several nodes, and its card.
inline lockfree::ProcessEntry& process_entry(Process process) {
  return *lockfree::process_entry(arena.job, number_of(process));
}
// These convert between processes of our job and their local ranks; `not_on_this_node` stands for
// all others.
inline Process process_at(LocalRank rank) {
  if (BATON_LIKELY(!spans_nodes())) return static_cast<Process>(number_of(rank));
  return static_cast<Process>(arena.row(rank).launcher.process);
}
inline LocalRank local_rank_of(Process process) {
  if (number_of(process) >= process_count()) return not_on_this_node;
  if (BATON_LIKELY(!spans_nodes())) return static_cast<LocalRank>(number_of(process));
  const lockfree::ProcessEntry& entry = process_entry(process);
  // On one machine that is taken for several nodes all ranks are in the arena.
  return entry.place.node == arena.row(arena.rank).launcher.place.node
             ? static_cast<LocalRank>(entry.local_rank)
             : not_on_this_node;
}
// Returns the header that mpiexec has written for all ranks of the job.
inline lockfree::JobHeader& job() {
  return *arena.job;
}
// Returns a rank's row of the status board.
inline lockfree::RankRow& status_row(LocalRank rank) {
  return arena.row(rank);
}
inline const lockfree::RankPlace& place_of(LocalRank rank) {
  return arena.row(rank).launcher.place;
}
inline const lockfree::RankPlace& place_of(Process process) {
  return spans_nodes() ? process_entry(process).place : place_of(local_rank_of(process));
}
inline TrafficRecord& traffic_record(LocalRank rank) {
  return arena.record(rank);
}
inline Doorbell& doorbell(LocalRank rank) {
  return arena.doorbell(rank);
}

// --- offers: a rank's own, by their slots. A page of them may have no memory yet.
inline Offer& offer(LocalRank owner, std::uint32_t slot) {
  return arena.offers(owner)[slot];
}
inline constexpr std::uint32_t offers_per_page = page_bytes / lockfree::offer_bytes;
[[nodiscard]] inline Error reserve_own_offers(std::uint32_t page) {
  return reserve(arena.rank, arena.layout.offers + page * page_bytes, page_bytes);
}

// --- adverts: receives of `receiver` that `sender` may write into, by their numbers.
inline constexpr auto advert_count = static_cast<std::uint64_t>(lockfree::adverts_per_pair);
inline Advert& advert(LocalRank receiver, LocalRank sender, std::uint64_t number) {
  return arena.adverts(receiver, sender)[number % advert_count];
}
[[nodiscard]] inline Error reserve_own_adverts(LocalRank sender) {
  constexpr std::uint64_t bytes = advert_count * lockfree::advert_bytes;
  return reserve(arena.rank, arena.layout.adverts + number_of(sender) * bytes, bytes);
}

// --- staging: chunks of `owner`, several of which are a window; and the progress to which a window
// is filled.
inline char* chunk(LocalRank owner, std::uint32_t number) {
  return arena.chunk(owner, number);
}
[[nodiscard]] inline Error reserve_chunk(LocalRank owner, std::uint32_t number) {
  const std::uint64_t offset = arena.layout.staging + number * lockfree::chunk_bytes;
  return reserve(owner, offset, lockfree::chunk_bytes);
}
inline Progress& window_progress(LocalRank owner, lockfree::Window window) {
  return arena.progress(owner, window.first());
}

// --- the memory through which `sender` deposits data at `receiver`, in a job that repeats the
// deposit study.
inline char* deposit_memory(LocalRank receiver, LocalRank sender) {
  return arena.deposit(receiver, sender);
}
[[nodiscard]] inline Error reserve_deposit_memory(LocalRank receiver) {
  return reserve(receiver, arena.deposit_offset(arena.rank),
                 lockfree::deposit_bytes(arena.job->rings.deposit.ring_bytes));
}

}  // namespace baton::transport
