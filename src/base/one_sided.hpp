// These counts say how operations on windows reached their targets: how many, how much data, and
// why not by loads and stores. They are kept in jobs under mpiexec --explain (window/count.cpp),
// which prints the words.
#pragma once

#include <iterator>

#include "base/traffic.hpp"

namespace baton {

// These are the kinds of a window's memory, by the call that made the window.
// clang-format off
#define BATON_WINDOW_MEMORIES(X)                              \
  X(allocate,        "memory of MPI_Win_allocate")            \
  X(allocate_shared, "memory of MPI_Win_allocate_shared")     \
  X(create,          "memory that MPI_Win_create was given")  \
  X(attach,          "memory that MPI_Win_attach was given")

#define BATON_REACH_WAYS(X)                                                                     \
  X(mapped,   "by the origin's loads, stores and atomic instructions")                          \
  X(kernel,   "copied by the kernel (cross-memory attach), or by or with targets that are in MPI")                     \
  X(provider, "by remote writes and reads of the network's provider, without the target's program")                     \
  X(message,  "in active messages, which the target carries out when it is in MPI")

// Operations with a result, compare-and-swaps among them, are a kind of their own: get_accumulate.
#define BATON_WINDOW_OPERATIONS(X) X(put) X(get) X(accumulate) X(get_accumulate)

// The words begin with the cheaper way, so that "why not" may stand before them. {refusal} stands
// for the reason for which the kernel or a setting refuses the cheaper way.
#define BATON_REACH_REASONS(X)                                                                        \
  X(none,             "a cheaper way: there is none")                                                 \
  X(private_memory,   "mapped: it is the program's own memory, which other processes reach through "  \
                      "the kernel only: use MPI_Win_allocate, or MPI_Alloc_mem (of large blocks of "  \
                      "malloc: mpiexec --export-heap)")                                               \
  X(other_node,       "by the origin alone: the target is on another node, and accumulates, data "    \
                      "with gaps and dynamic windows are no remote writes and reads; where targets "  \
                      "compute for long, BATON_PROGRESS_THREAD=1 serves origins meanwhile")           \
  X(other_job,        "by the origin alone: the target is of another job, with which windows have "   \
                      "no memory in common; where targets compute for long, "                         \
                      "BATON_PROGRESS_THREAD=1 serves origins meanwhile")                             \
  X(no_remote_access, "by the origin alone: the target is on another node, and the network's "        \
                      "provider has no remote writes and reads of its own (or "                       \
                      "BATON_NETWORK_REMOTE_ACCESS=0 forbids them)")                                  \
  X(short_message,    "by the network's provider: messages are quicker for what is so short "         \
                      "(BATON_NETWORK_PUT_BYTES_MIN, BATON_NETWORK_GET_BYTES_MIN)")                   \
  X(not_registered,   "by the network's provider: it does not take the memory; raise the limit on "   \
                      "locked memory (ulimit -l)")                                                    \
  X(no_common_memory, "by the origin alone: the ranks of the node have no memory in common: start "   \
                      "them with Baton's mpiexec")                                                    \
  X(kernel_refuses,   "by the origin alone: it is the program's own memory, and no {refusal}; use "   \
                      "MPI_Win_allocate, whose memory is mapped, or BATON_PROGRESS_THREAD=1, which "  \
                      "serves origins while targets compute")
// clang-format on

#define BATON_NAME(name, ...) name,
enum class WindowMemory : std::uint8_t { BATON_WINDOW_MEMORIES(BATON_NAME) };
enum class ReachWay : std::uint8_t { BATON_REACH_WAYS(BATON_NAME) };
enum class WindowOperation : std::uint8_t { BATON_WINDOW_OPERATIONS(BATON_NAME) };
enum class ReachReason : std::uint8_t { BATON_REACH_REASONS(BATON_NAME) };
#undef BATON_NAME

#define BATON_ROW(name, words) {#name, words},
inline constexpr NameRow window_memory_rows[] = {BATON_WINDOW_MEMORIES(BATON_ROW)};
inline constexpr NameRow reach_way_rows[] = {BATON_REACH_WAYS(BATON_ROW)};
inline constexpr NameRow reach_reason_rows[] = {BATON_REACH_REASONS(BATON_ROW)};
#undef BATON_ROW
#define BATON_TEXT(name) #name,
inline constexpr const char* window_operation_names[] = {BATON_WINDOW_OPERATIONS(BATON_TEXT)};
#undef BATON_TEXT
inline constexpr int window_memory_count = std::size(window_memory_rows);
inline constexpr int reach_way_count = std::size(reach_way_rows);
inline constexpr int window_operation_count = std::size(window_operation_names);
inline constexpr int reach_reason_count = std::size(reach_reason_rows);

// These are the counts of one rank as an origin. The `messages` of a tally are operations.
struct OneSidedCounts {
  Tally tally[window_memory_count][reach_way_count][window_operation_count];
  std::uint64_t reasons[window_memory_count][reach_reason_count];
  std::uint64_t refusal;  // the last one's Reason (base/reason.hpp)
};

// These are the counts of one window, as long as a tool watches it.
struct WindowCounts {
  std::uint32_t watchers = 0;
  Tally operations[window_operation_count] = {};  // of this rank as an origin
  std::uint64_t lock_waits = 0;                   // locks that this rank had to wait for
  std::uint64_t lock_wait_ns = 0;
};

}  // namespace baton
