// This is the one table of settings, with the type of its rows. It is data only: base/settings.hpp
// reads the values, base/shipped_profile.hpp names rows whose default is another one on a family of
// processors. `baton settings`, MPI_T and docs/settings.md are made from the same table.
#pragma once

#include <cstdint>

#include "base/part.hpp"

namespace baton {

// clang-format off
// name, part (base/part.hpp), when a tool may change it (SettingChange), type (bytes, count, flag, choice: of words),
// default, minimum, maximum, why it exists
#define BATON_USER_SETTINGS(X) \
  X(eager_bytes_max,            messages,    live,        bytes,  4096,       48,      6144,       "longest message that enters a ring before it is matched") \
  X(network_eager_bytes_max,    network,     start,       bytes,  131072,     48,      131072,     "longest message that goes to another node before it is matched") \
  X(network_rails,              network,     start,       count,  4,          1,       4,          "most network interfaces of a rank: its messages go over the first, the parts of long ones over all") \
  X(network_rails_bytes_min,    network,     live,        bytes,  524288,     4096,       1LL << 40,  "shortest message whose parts go over all network interfaces") \
  X(network_remote_access,      network,     start,       flag,   1,          0,       1,          "windows over several nodes are reached by the network's own remote writes and reads, where its provider has them; 0: by messages alone") \
  X(network_patience_seconds,   network,     start,       count,  60,         0,       86400,      "a host of the job from which no sign of life has come for so long is lost, and with it what waits for its ranks; 0: never; for TCP, other networks have their own") \
  X(unexpected_bytes_max,       messages,    live,        bytes,  1 << 20,    0,       1LL << 40,  "unexpected payload kept per peer; beyond it only envelopes are taken in") \
  X(own_rings,                  messages,    launch,      count,  -1,         -1,      4096,       "so many senders to one rank get a ring of their own there; all others share one, and so does who has sent little in a job of more than 64 ranks; -1: 128, among more than 160 ranks fewer; mpiexec reads it for all") \
  X(continue_on_failure,        library,     launch,      flag,   0,          0,       1,          "the others go on when a rank dies, as by mpiexec --continue-on-failure; read by mpiexec, and by ranks that another launcher has started itself") \
  X(ranks_per_node,             network,     launch,      count,  0,          0,       4096,       "for tests: so many ranks of a machine are taken for a node of their own, with the network between them; 0: all are one node; mpiexec reads it for all") \
  X(cma_bytes_min,              messages,    start,       bytes,  16384,      1,       1LL << 40,  "shortest contiguous message that one copy through CMA may carry") \
  X(partition_staged_bytes_max, messages,   start, bytes,  65536,      0,       1LL << 40,  "longest partition that goes through staging where a system call could copy it in one; into mapped memory none longer than 512 bytes does") \
  X(partition_staging_bytes_max, messages,  start,       bytes,  8 << 20,    0,       1LL << 40,  "longest partitioned message that goes through staging, of which the receiver keeps twice that for the request's life") \
  X(observe,                    messages,    live,        flag,   1,          0,       1,          "long messages go the way that their receiver has seen to be quicker; 0: in one copy where that is possible") \
  X(delegation_polls,           windows,     start,       count,  -1,         -1,      1LL << 40,  "so often the origin of a short one-sided operation on private memory looks whether its target, which may be in MPI, has taken it, before it does it itself by system calls; 0: asks nobody; -1: as long as the system calls take, and never where ranks outnumber CPUs") \
  X(receiver_initiated,         messages,    live,        flag,   1,          0,       1,          "receives that were posted first are made known to their sender, which puts long messages straight into them") \
  X(cma,                        messages,    start,       flag,   1,          0,       1,          "allow cross-memory attach (process_vm_readv)") \
  X(xpmem,                      messages,    start,       flag,   1,          0,       1,          "map memory of other ranks where the machine has XPMEM") \
  X(device,                     messages,    start,       count,  -1,         -1,      1,          "whether buffers may lie in device memory: -1: on machines with a device (/dev/nvidiactl), and where its driver is loaded at start; 0: nobody looks, and such a buffer crashes; 1: anywhere, for tests") \
  X(failure_grace_ms,           messages,    start,       count,  -1,         -1,      1LL << 30,  "in a job that goes on without the dead: so many milliseconds a collective goes on whose communicator has lost a rank, since what that rank has done for it may be enough; -1: 10, and 100 where ranks outnumber CPUs") \
  X(device_ipc,                 messages,    start,       flag,   1,          0,       1,          "device memory is copied straight from the other process's where both ranks are on one node; 0: through host memory") \
  X(device_patience_us,         messages,    start,       count,  50,         -1,      1LL << 40,  "so many microseconds a blocking standard send of short device memory waits for its receive; then its data is buffered in host memory, as that of the next such messages to that rank; -1: it waits until the receive comes") \
  X(device_handles_max,         messages,    start,       count,  64,         1,       4096,       "so many allocations of other processes stay open in a rank, so that the next message from there finds them open") \
  X(device_bytes_min,           messages,    start,       bytes,  32768,      0,       1LL << 40,  "shortest data in device memory that the device itself reduces, and that collectives exchange without a copy in host memory") \
  X(device_register,            messages,    start,       flag,   1,          0,       1,          "host memory that ranks share is registered with the device's driver when data of devices first goes through it, so that the device copies it at full speed; 0: never") \
  X(device_network,             messages,    start,       flag,   1,          0,       1,          "long messages between nodes go straight from and to device memory where the network's provider says that its adapter reaches it (FI_HMEM); 0: through host memory") \
  X(spin_count,                 waiting,     live,        count,  -1,         -1,      1LL << 40,  "polls before a waiter yields; -1: from ranks against usable CPUs") \
  X(yield_count,                waiting,     live,        count,  -1,         -1,      1LL << 40,  "yields before a waiter sleeps; -1: from ranks against usable CPUs") \
  X(progress_thread,            waiting,     start,       flag,   0,          0,       1,          "a thread of the library makes progress while the program computes; it costs locks, and CPU time while something is under way") \
  X(io_uring,                   files,       live,        count,  1,          0,       2,          "1: nonblocking reads that wait for a device go through the kernel's queue for them (io_uring) where the kernel permits it and liburing is there; 0: they go through threads of the library, as all other nonblocking accesses to files; 2: also reads that wait for no device, for tests") \
  X(unnamed_pairs,              library,     live,        flag,   0,          0,       1,          "MPI_Type_get_value_index also gives pairs that have no name; off: MPI_DATATYPE_NULL, which other libraries answer") \
  X(rooms,                      collectives, start_alike, flag,   1,          0,       1,          "short collectives meet in shared rooms instead of point-to-point") \
  X(room_bytes_max,             collectives, start_alike, bytes,  65536,      0,       65536,      "longest contribution of a rank that goes through a room") \
  X(order,                      collectives, live,        choice, 0,          0,       3,          "whom a root serves first where scatters, gathers and alltoalls go by messages: rank: all at once; status: idle ranks first, as the status board says (and reductions take what comes first: their last bits may vary); blocking: one by one, for the study; auto: as measured") \
  X(near_ranks,                 collectives, launch,      choice, 0,          0,       5,          "which ranks of a node are near each other, for rows of BATON_COLLECTIVES and profiles that say near or far: those that share an l2, an l3 or a numa_node; none; measured: mpiexec measures; auto: it measures except on virtual machines, whose CPUs move, so that all ranks are far; mpiexec reads it for all") \
  X(vector_level_max,           collectives, start,       count,  4,          1,       4,          "highest level of x86-64 (1, 3: AVX2, 4: AVX-512) whose instructions reductions may use") \
  X(check,                      library,     start_alike, flag,   0,          0,       1,          "collective calls are compared before they begin, and those that do not fit are named with their ranks, as are conflicting accesses to windows (mpiexec --check); the same for all ranks") \
  X(crash_report,               library,     start,       flag,   1,          0,       1,          "a rank that mpiexec started and that crashes says in which MPI call, with a short backtrace, where the program handles the signal in no way itself") \
  X(leak_report,                library,     live,        flag,   0,          0,       1,          "name what the program did not free, on standard error at MPI_Finalize and at the end of the last session")

// These settings are not for users: they differ by processor (shipped profiles, `baton tune`), or
// studies and tests force them. They are read from the environment as well.
#define BATON_INNER_SETTINGS(X) \
  X(network_receiver_initiated, network,     start,       flag,   1,          0,       1,          "receiver_initiated, for senders on other nodes") \
  X(network_put_bytes_min,      network,     live,        bytes,  4096,       1,       1LL << 40,  "shortest contiguous put that is a remote write of the network's provider") \
  X(network_get_bytes_min,      network,     live,        bytes,  4096,       1,       1LL << 40,  "shortest contiguous get that is a remote read of the network's provider") \
  X(early_bytes_max,            messages,    start,       bytes,  65536,      4096,    1 << 20,    "most of a message that goes through staging before it is matched") \
  X(shared_bytes_min,           messages,    start,       bytes,  49152,      1,       1LL << 40,  "shortest message in one copy that both sides copy a part of") \
  X(unseen_pull_bytes_min,      messages,    live,        bytes,  1 << 20,    1,       1LL << 40,  "shortest message that goes in one copy where nobody has seen yet which way is quicker") \
  X(pull_penalty_percent,       messages,    live,        count,  0,          0,       1000,       "a message pulled by a system call (CMA) counts so much longer than its receiver observed: for what it costs the program later") \
  X(push_bytes_min,             messages,    start,       bytes,  1LL << 40,  1,       1LL << 40,  "shortest message that is put into a receive that was made known by a system call (CMA); into memory of MPI_Alloc_mem any may be") \
  X(pipeline_span_bytes,        messages,    start,       bytes,  131072,     131072,  2 << 20,    "what is sent early goes round in so much of its receiver's staging; no less than twice that") \
  X(pipeline_buffer_bytes,      messages,    start,       bytes,  2 << 20,    131072,     2 << 20,    "a stream, and what is sent early of messages of early_bytes_max and more, goes round in no more than so much of its receiver's staging") \
  X(pipeline_publish_bytes,     messages,    start,       bytes,  1024,       64,      65536,      "so much of a message in staging is told to its receiver at a time") \
  X(pipeline_publish_long_bytes,messages,    start,       bytes,  1024,       64,      65536,      "the same of messages longer than early_bytes_max") \
  X(pipeline_fetch_bytes,       messages,    start,       bytes,  512,        0,       65536,      "lines of staging are fetched so far ahead of being written") \
  X(non_temporal_stores,        messages,    start,       count,  1,          0,       2,          "staging is written with stores that go around the cache: 0: never; 1: where that proves much quicker; 2: always") \
  X(ownership_transfer,         messages,    start,       flag,   1,          0,       1,          "of few ranks: staging buffers pass to the receiver with a message, which writes its next one there") \
  X(pipeline_early,             messages,    start,       flag,   1,          0,       1,          "longer messages begin to go through staging before they are matched") \
  X(direct_at_once,             collectives, start_alike, count,  -1,         -1,      4096,       "so many ranks at a time copy from or to the root's memory in long scatters and gathers, since the kernel locks its page tables for each; 0: all; -1: 8 where ranks have a CPU each, else all; the same for all ranks") \
  X(file_mapping_bytes_min,     files,       live,        bytes,  131072,     1,       1LL << 40,  "shortest range of a file that lies in the kernel's cache and is read and written through a mapping") \
  X(deposit_model,              messages,    start_alike, count,  0,          0,       5,          "1 to 5: messages between ranks go as in the models of the deposit study (docs/decisions/deposit-models.md); the same for all ranks") \
  X(deposit_ring_bytes,         messages,    start_alike, bytes,  4 << 20,    8192,    1 << 30,    "the receive ring of these models, one for each sender") \
  X(deposit_delayed,            messages,    start_alike, flag,   0,          0,       1,          "a message of these models that would meet the ring's end waits for contiguous space there, instead of being split")

#define BATON_SETTINGS(X) BATON_USER_SETTINGS(X) BATON_INNER_SETTINGS(X)
// clang-format on

struct Settings {
#define BATON_SETTING_FIELD(name, part, change, type, fallback, minimum, maximum, why) \
  std::int64_t name = fallback;
  BATON_SETTINGS(BATON_SETTING_FIELD)
#undef BATON_SETTING_FIELD
};

// This says when a setting can be changed after the environment was read: never, as mpiexec has
// read it for all ranks; until MPI is initialized, by each rank or by all ranks alike; or at any
// time.
enum class SettingChange : std::uint8_t { launch, start, start_alike, live };

struct SettingRow {
  const char* name;
  Part part;
  SettingChange change;
  const char* type;
  std::int64_t fallback;
  std::int64_t minimum;
  std::int64_t maximum;
  const char* why;
  std::int64_t Settings::*field;
  bool for_users;  // false: for profiles, studies and tests
};

}  // namespace baton
