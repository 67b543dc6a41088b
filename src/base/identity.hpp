// Which process is meant, by which numbering: a type each, so that no number passes for another.
// A rank of a communicator is an int, as in MPI's own interface; message::Context says which
// process it is. Conversions have names: local_rank_of and process_at (transport/node.hpp) on this
// node, id_of (message/core/engine.hpp) for all.
#pragma once

#include <cstdint>

namespace baton {

// A rank among those of the job on this node: whose part of the memory that they share.
enum class LocalRank : std::uint32_t {};
// Of a process on another node.
inline constexpr auto not_on_this_node = static_cast<LocalRank>(0xffffffff);

// A process as this one numbers it: its index in the table of processes. Those of our own job come
// first, by their ranks in MPI_COMM_WORLD; the numbers of others hold in this process only.
enum class Process : std::uint32_t {};

// A process as all know it: its job, and its rank in that job's MPI_COMM_WORLD.
enum class Job : std::uint32_t {};
enum class WorldRank : std::uint32_t {};
struct ProcessId {
  Job job;
  WorldRank rank;
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

// The bare number: an index, or to print.
constexpr std::uint32_t number_of(LocalRank rank) {
  return static_cast<std::uint32_t>(rank);
}
constexpr std::uint32_t number_of(Process process) {
  return static_cast<std::uint32_t>(process);
}
constexpr std::uint32_t number_of(WorldRank rank) {
  return static_cast<std::uint32_t>(rank);
}

}  // namespace baton
