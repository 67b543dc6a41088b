// The job's arena is one memory file per job and node, made by the launcher and inherited by all
// ranks. It opens with the header and the status board (one row a rank), then one slice a rank.
// Invariant: it holds only offsets and plain data, never a pointer; sizes are fixed at creation.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/counters.hpp"
#include "base/reason.hpp"
#include "lockfree/channel.hpp"
#include "lockfree/memory_row.hpp"
#include "lockfree/room_size.hpp"
#include "lockfree/timing.hpp"
#include "lockfree/wait_lines.hpp"
#include "lockfree/world.hpp"

namespace baton::lockfree {

inline constexpr std::uint64_t job_magic = 0x424154'4f4e4a4fULL;  // "BATONJO"
inline constexpr std::uint32_t job_version = 16;
inline constexpr int ranks_max = 4096;
inline constexpr std::int32_t left_process = -1;  // the pid of one that has left a meeting

// Returns what two ranks share of the machine, by their places.
PeerClass peer_class(const RankPlace& one, const RankPlace& other);

// The phase says how far a rank has come; the launcher reads it when a process ends.
enum class Phase : std::uint32_t { unborn, started, initialized, finalized, aborted };

// This says who ended the job, with Phase::aborted.
enum class AbortCause : std::uint32_t { none, program, error };

// Under the setting `check` these lines say where a rank waits, and who waits for it
// (collective/check/deadlock.cpp).
struct alignas(cache_line_bytes) CycleLines {
  std::atomic<std::uint32_t> episode;  // odd: the rank waits, and the members below say where
  std::atomic<std::uint32_t> looks;    // how often it has looked in vain, each after progress
  std::atomic<std::uint64_t>
      waited_by;  // rank that waits for this one plus 2, its episode above; 1: none, 0: not known
  std::atomic<std::uint32_t> what;  // from here on nothing changes during an episode
  std::atomic<std::uint32_t> communicator;
  std::atomic<std::uint32_t> number;
  std::atomic<std::int32_t> peer;
  std::atomic<std::uint64_t> members;
  std::atomic<std::uint64_t> words[11];
};
static_assert(sizeof(CycleLines) == 128);

// This is a rank's row on the status board. The launcher writes the place before it forks, the rank
// writes all else.
struct alignas(cache_line_bytes) RankRow {
  struct alignas(cache_line_bytes) PlaceLine {  // written by the process that makes the arena
    RankPlace place;        // in an arena of meeting written by the process that takes the slot
    std::uint32_t process;  // the rank in the job
    std::uint32_t job;      // in an arena of meeting: whose rank it is (WorldPlan::job)
    std::atomic<std::uint32_t> died;  // the rank has failed, in a job that goes on without it
    std::int32_t pid;  // of a rank of another launcher, before it writes its own; 0: not known
  } launcher;
  struct alignas(cache_line_bytes) StateLine {  // written by the rank, rarely
    std::atomic<Phase> phase;
    std::atomic<std::int32_t> pid;
    std::atomic<std::int32_t> abort_code;
    std::atomic<AbortCause> abort_cause;
    std::atomic<std::uint64_t>
        probe_address;  // address of a word in the rank's own memory that others may try to read
    std::atomic<std::uint64_t> probe_value;   // the value of that word
    std::atomic<std::uint64_t> heap_address;  // where the rank has mapped its exported heap
    std::atomic<std::int64_t> xpmem_segment;  // segment of the rank's memory; 0: none
    std::atomic<std::int32_t>
        wake_pipe;                    // with a network: the descriptor by which it is woken, plus 1
    std::atomic<std::uint32_t> uses;  // how often MPI was begun: MPI_Init, or a first session
    // This counts the programs that were this rank, one after the other
    // (transport/next_program.hpp).
    std::atomic<std::uint32_t> programs;
    std::uint32_t pid_namespace;  // the namespace in which `pid` counts; 0: not known
  } state;
  alignas(cache_line_bytes) Counters counters;  // written by the rank at finalize
  CycleLines cycle;
  ChannelLine channel;
  WaitLines waits;  // written by the rank, seldom
};
static_assert(offsetof(RankRow, state) == 64 && offsetof(RankRow, counters) == 128);
static_assert(offsetof(RankRow, cycle) == 256 && offsetof(RankRow, channel) == 384);
static_assert(offsetof(RankRow, waits) == 448 && sizeof(RankRow) == 768);

// This says how messages travel in a job that repeats the deposit study
// (docs/decisions/deposit-models.md).
struct DepositPlan {
  std::int32_t model = 0;        // 0: Baton's own protocols
  std::uint64_t ring_bytes = 0;  // of a pair's ring, whole pages; 0 without a model
};

// This says how lines reach their receivers in a job.
struct RingPlan {
  DepositPlan deposit;
  std::int32_t own_max = -1;  // senders to a rank with rings of their own; -1: by number of ranks
  std::int32_t unshared = 0;  // no ring is shared: a sender that dies would stop the others
};

// These are sums over the rooms of all ranks (lockfree/room_size.hpp). Ranks update them
// atomically, seldom.
struct alignas(cache_line_bytes) RoomPoolLine {
  std::uint64_t bytes;  // includes rooms that are kept
  std::uint64_t kept_bytes;
  std::uint64_t rooms;  // that not all ranks have left
};
static_assert(sizeof(RoomPoolLine) == cache_line_bytes);

struct JobHeader {
  std::uint64_t magic;
  std::uint32_t version;
  std::uint32_t layout_hash;
  std::uint32_t ranks;
  std::uint32_t cpus_usable;   // CPUs the ranks share: affinity and cgroup quota, at least 1
  std::uint64_t file_bytes;    // of the arena: to the end of the last slice
  std::uint64_t heaps_offset;  // behind it each rank's exported heap, from a whole huge page on:
  std::uint64_t heap_bytes;    // address space only; 0: there is none
  std::uint64_t program_heap_bytes;  // its last part, for the program's own malloc; 0: not exported
  std::uint64_t rows_offset;
  std::uint64_t memory_offset;     // a MemoryRow a rank
  std::uint64_t processes_offset;  // a ProcessEntry a process; 0: a job of one node has none
  std::uint64_t mailboxes_offset;  // a mailbox a rank
  std::uint64_t mailbox_bytes;
  std::uint64_t slices_offset;
  std::uint64_t slice_bytes;
  std::int32_t program_heap_huge;  // in huge pages: private memory has them here unasked
  std::int32_t launcher_pid;       // 0 when the program was started alone
  std::int32_t continues;          // mpiexec --continue-on-failure
  std::int32_t foreign_launcher;   // another launcher has started the ranks themselves
  std::int32_t explain;            // mpiexec --explain
  std::int32_t memory_report;      // mpiexec --memory-report
  TimingPlan timing;               // mpiexec --stats, --trace; behind the heaps
  std::int32_t
      senders_fence;  // oversubscribed, or no membarrier: senders order publish and wake themselves
  RingPlan rings;
  WorldPlan world;
  // By PeerClass, a bit each: ranks of the node that are such peers are near each other
  // (base/distance.hpp). 0 where nobody has looked, and where it changes.
  std::uint32_t near_classes;
  std::uint32_t devices;  // hosts of the job have some, whose memory buffers may lie in; 0: none
  std::int32_t rings_shared;  // all senders begin in a shared ring; else with one of their own
  std::uint32_t held;         // by mpiexec, atomically: ranks first wait for a debugger to attach
  std::uint32_t notes_given;  // by ranks, atomically: a bit for each note reported for all
  // Ranks set this atomically: the number of a process on another node that one of them has found
  // lost, plus 1, and, from bit 32 on, the network's error. 0: none.
  std::uint64_t lost_process;
  std::uint32_t deaths;  // of processes, where others go on; counted by who writes them down
  // Ranks set this atomically: the number (from 0 on) of each rank's program for which the memory
  // has been made new, times 2. An odd value says that a rank is making it new.
  std::uint32_t new_for;
  RoomPoolLine rooms;
};

// A mailbox is the part of a rank's memory that ranks touch that seldom talk to it. Mailboxes lie
// side by side, so that contacting a thousand ranks costs few pages of page tables. Each is a page
// with the doorbell (first) and the control lines of the shared ring, then that ring, if the job
// has one.
inline constexpr std::uint64_t shared_ring_control_offset = 1024;
inline constexpr std::uint32_t shared_ring_lines = 1024;
inline constexpr std::uint64_t shared_ring_bytes = shared_ring_lines * cache_line_bytes;
// Up to this many ranks each sender has a ring of its own from the beginning. With many more ranks
// fewer senders to each get one, so that all rings together cost no more than these; guesses.
inline constexpr std::uint32_t own_rings_ranks_max = 64;
inline constexpr std::int32_t own_rings_in_all = 20480, own_rings_least = 16, own_rings_most = 128;

// This gives the parts of a slice, as offsets from its start. Every part is page-aligned, so that a
// rank's memory grows only with what it has touched.
struct SliceLayout {
  std::uint64_t rendezvous_entries;  // this rank's
  std::uint64_t heads;               // the consumer's lines for each sender's ring
  std::uint64_t rings;               // one ring for each sender
  std::uint64_t adverts;             // receives that each sender may write into
  std::uint64_t rooms;  // of communicators that this rank leads; room_pool_bytes of address space
  std::uint64_t progress;  // two lines a chunk: the progress of sender and receiver
  std::uint64_t staging;   // chunks for longer messages, shared by all senders
  std::uint64_t record;    // the rank's TrafficRecord; has memory only in a job that explains
  std::uint64_t memory;    // its MemoryRecord; has memory only in a job that reports on memory
  std::uint64_t deposits;  // the models' rings, one for each sender; empty without a model
  std::uint64_t bytes;     // of the whole slice
};

inline constexpr std::uint64_t ring_bytes = 8192;
// This many sends may wait for their receivers before another envelope must wait, too. It is
// address space only: memory follows the number of entries that are open at the same time.
inline constexpr int rendezvous_entries_per_rank = 1 << 18;
inline constexpr std::uint64_t rendezvous_entry_bytes = 64;
inline constexpr int chunks_per_rank = 64;  // one bit each in the free-chunk word
inline constexpr std::uint64_t chunk_bytes = 65536;
inline constexpr std::uint64_t progress_bytes = 128;
inline constexpr std::uint64_t consumer_bytes = 128;
// This many receives can be known to one sender at the same time. It is address space only, as
// above.
inline constexpr int adverts_per_pair = 128;
inline constexpr std::uint64_t advert_bytes = 64;
// Returns the memory that a rank's slice takes in a job where it talks to all others: its fixed
// parts, rings and staging.
std::uint64_t usual_slice_bytes(const SliceLayout& layout);

// Returns a sender's share of the `deposits`: a page for the control lines, and the ring.
constexpr std::uint64_t deposit_bytes(std::uint64_t deposit_ring_bytes) {
  return page_bytes + deposit_ring_bytes;
}

// Returns the layout for a job of `ranks`.
SliceLayout slice_layout(std::uint32_t ranks, std::uint64_t deposit_ring_bytes = 0);

// Fills a header for a job of `ranks`; the caller makes a file of `file_bytes` and writes it there.
JobHeader job_header(std::uint32_t ranks, std::uint32_t cpus_usable, RingPlan rings = {},
                     WorldPlan world = {});
// Returns the plan by the settings: the model, and a ring of whole pages.
DepositPlan deposit_plan(std::int64_t model, std::int64_t bytes_of_ring);

// Checks magic, version, hash and size of a mapped header. Returns null when it fits, else a text
// that says what is wrong.
const char* job_header_problem(const JobHeader& header);

inline RankRow* rank_row(JobHeader* header, std::uint32_t rank) {
  auto* rows = reinterpret_cast<RankRow*>(reinterpret_cast<char*>(header) + header->rows_offset);
  return rows + rank;
}
inline MemoryRow* memory_row(JobHeader* header, std::uint32_t rank) {
  auto* rows =
      reinterpret_cast<MemoryRow*>(reinterpret_cast<char*>(header) + header->memory_offset);
  return rows + rank;
}
// This may be called in a job of several nodes only.
inline ProcessEntry* process_entry(JobHeader* header, std::uint32_t process) {
  auto* entries =
      reinterpret_cast<ProcessEntry*>(reinterpret_cast<char*>(header) + header->processes_offset);
  return entries + process;
}
// Returns where a rank's slice begins in the job's memory file.
inline std::uint64_t slice_offset(const JobHeader& header, std::uint32_t rank) {
  return header.slices_offset + rank * header.slice_bytes;
}
inline std::uint64_t mailbox_offset(const JobHeader& header, std::uint32_t rank) {
  return header.mailboxes_offset + rank * header.mailbox_bytes;
}
inline char* mailbox(JobHeader* header, std::uint32_t rank) {
  return reinterpret_cast<char*>(header) + mailbox_offset(*header, rank);
}
inline char* slice(JobHeader* header, std::uint32_t rank) {
  return reinterpret_cast<char*>(header) + slice_offset(*header, rank);
}

}  // namespace baton::lockfree
