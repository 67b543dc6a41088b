// Processes are numbered in several ways. Each numbering has a type of its own, so that no number
// passes for another.
// A rank of a communicator is an int, as in MPI's own interface; message::Context says which
// process it is. Conversions have names: local_rank_of and process_at (transport/node.hpp) on this
// node, id_of (message/core/engine.hpp) for all.
#pragma once

#include <cstdint>

namespace baton {

// This is a rank among the job's ranks on this node. It says whose part of the shared memory is
// meant.
enum class LocalRank : std::uint32_t {};
// A process on another node has this value instead of a local rank.
inline constexpr auto not_on_this_node = static_cast<LocalRank>(0xffffffff);

// This is a process as the calling process numbers it: its index in the table of processes. The
// processes of our own job come first, by their ranks in MPI_COMM_WORLD; the numbers of other jobs'
// processes are valid in this process only.
enum class Process : std::uint32_t {};

// This identifies a process for all processes: its job, and its rank in that job's MPI_COMM_WORLD.
enum class Job : std::uint32_t {};
enum class WorldRank : std::uint32_t {};
struct ProcessId {
  Job job;
  WorldRank rank;
  friend bool operator==(const ProcessId&, const ProcessId&) = default;
};

// Returns a number by which all processes order processes alike.
constexpr std::uint64_t number_for_all(ProcessId id) {
  return static_cast<std::uint64_t>(id.job) << 32 | static_cast<std::uint32_t>(id.rank);
}

// Returns the bare number, which is an index or is to be printed.
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
