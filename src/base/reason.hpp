// This is the one table of reasons why a message took no cheaper way (protocol). The code that
// chooses a way gives a reason; ranks count reasons by peer class and size; mpiexec --explain
// prints the words.
#pragma once

#include "base/algorithm.hpp"
#include "base/file_counts.hpp"
#include "base/one_sided.hpp"
#include "base/traffic.hpp"

namespace baton {

// The words begin with the cheaper way, so that "why not" may stand before them. {cma_bytes_min},
// {eager_bytes_max} and {errno} stand for values that the counting rank knows (TrafficRecord).
// clang-format off
#define BATON_REASONS(X)                                                                            \
  X(none,                "a cheaper way: there is none")                                            \
  X(synchronous,         "the ring: a synchronous send waits for its match")                        \
  X(envelopes_only,      "the ring: the receiver holds its limit of unexpected messages "           \
                         "(BATON_UNEXPECTED_BYTES_MAX)")                                            \
  X(above_eager_max,     "the ring: longer than eager_bytes_max ({eager_bytes_max})")               \
  X(early_off,           "early bytes: switched off by BATON_PIPELINE_EARLY=0")                        \
  X(sender_gaps,         "single copy: the sender's data is not contiguous, or in foreign memory") \
  X(receiver_gaps,       "single copy: the receive buffer is not contiguous, or in foreign memory") \
  X(below_cma_min,       "single copy: shorter than cma_bytes_min ({cma_bytes_min})")               \
  X(staging_quicker,     "single copy: the receiver has not seen that it is quicker than staging") \
  X(cma_refused,         "single copy (CMA): not permitted between the two")                        \
  X(cma_off,             "single copy (CMA): switched off by BATON_CMA=0, or a rank runs under valgrind") \
  X(cma_not_permitted,   "single copy (CMA): not permitted here (EPERM): give the container "       \
                         "CAP_SYS_PTRACE, or set kernel.yama.ptrace_scope to 0")                    \
  X(cma_no_process,      "single copy (CMA): the peer's process id names another process here, or " \
                         "none: run both ranks in one process-id namespace")                        \
  X(cma_not_in_kernel,   "single copy (CMA): this kernel has no process_vm_readv (ENOSYS)")         \
  X(cma_failed,          "single copy (CMA): trying it failed ({errno})")                           \
  X(cma_not_probed,      "single copy (CMA): the peer had not come so far that it could be tried")  \
  X(copy_refused,        "single copy (CMA): the kernel refused the copy itself, once permitted")   \
  X(oversubscribed,      "both sides copying: more ranks than CPUs, so that only the receiver "     \
                         "copies")                                                                  \
  X(too_short_to_share,  "both sides copying: too short for two pieces")                            \
  X(sender_away,         "pipelined copies: the sender made no progress, so that the receiver "     \
                         "pulled the rest")                                                         \
  X(not_advertised,      "redirection: its sender knew of no receive that it could go into")       \
  X(device_ipc_off,      "copy by the device: switched off by BATON_DEVICE_IPC=0")                 \
  X(device_not_exported, "copy by the device: the memory is managed, or of a pool (without "        \
                         "descriptors, or short), or of virtual memory management without "        \
                         "descriptors, or the driver exports no handle of it")                     \
  X(device_gaps,         "copy by the device: the data is not contiguous")                         \
  X(device_one_side,     "copy by the device: the data of only one rank lies in device memory, and " \
                         "is short (BATON_DEVICE_BYTES_MIN), or the other has no context")         \
  X(device_late,         "copy by the device: the receive, or one before it, came late, and short data is " \
                         "buffered then (BATON_DEVICE_PATIENCE_US)")                                \
  X(device_not_opened,   "copy by the device: the other rank could not open the memory")           \
  X(network_device_off,  "device memory reached by the network: switched off by BATON_DEVICE_NETWORK=0") \
  X(network_device_none, "device memory reached by the network: its provider does not say that its " \
                         "adapter does so (FI_HMEM)")                                               \
  X(network_device_gaps, "device memory reached by the network: the data is not contiguous")       \
  X(network_device_refused, "device memory reached by the network: the provider refused to "       \
                         "register it, or it is managed")                                           \
  X(deposit_split,       "one piece: it met the end of the deposit model's ring "                    \
                         "(BATON_DEPOSIT_RING_BYTES), which splits it")                             \
  X(sender_elsewhere,    "both sides copying: the sender took no piece; it computed, or may not "   \
                         "write to the receiver (process_vm_writev)")
// clang-format on

enum class Reason : std::uint8_t {
#define BATON_REASON_NAME(name, words) name,
  BATON_REASONS(BATON_REASON_NAME)
#undef BATON_REASON_NAME
};
inline constexpr NameRow reason_rows[] = {
#define BATON_REASON_ROW(name, words) {#name, words},
    BATON_REASONS(BATON_REASON_ROW)
#undef BATON_REASON_ROW
};
inline constexpr int reason_count = sizeof reason_rows / sizeof reason_rows[0];

// These counts say how many messages had each reason.
struct ReasonCounts {
  std::uint64_t messages[peer_class_count][reason_count][size_class_count];
  std::uint64_t& at(PeerClass peers, Reason reason, std::int64_t bytes) {
    return messages[static_cast<int>(peers)][static_cast<int>(reason)][size_class(bytes)];
  }
};

// This is the plain data that a rank publishes at its end for mpiexec --explain, by where its peers
// are. Only one of two ranks counts a message between them.
struct TrafficRecord {
  std::uint32_t published;   // 1: the rank has finalized
  std::int32_t probe_errno;  // errno of reason `cma_failed`
  std::int64_t eager_bytes_max;
  std::int64_t cma_bytes_min;
  Tally tally[peer_class_count][way_count][size_class_count];
  Observed observed[peer_class_count][size_class_count];
  ReasonCounts reasons;
  CollectiveCounts collectives;
  OneSidedCounts one_sided;
  FileRecords files;  // of those that are closed (file/explain.cpp)
  char library[512];  // the library's file, as its loader found it,
  char version[16];   // and its version
  char network[400];  // of a job on several nodes: its network, and why this one
};

}  // namespace baton
