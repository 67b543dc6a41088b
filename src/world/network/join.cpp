#include "world/network/join.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/settings.hpp"
#include "lockfree/job.hpp"
#include "platform/clock.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/fork.hpp"
#include "platform/host_identity.hpp"
#include "platform/memory_file.hpp"
#include "platform/random.hpp"
#include "transport/network/network.hpp"
#include "transport/node.hpp"
#include "world/alike.hpp"
#include "world/cpu_share.hpp"

namespace baton::world {

using lockfree::ProcessEntry;
using platform::HostIdentity;
using transport::network::network;

namespace {

// Each rank sends this record to all others.
struct Introduction {
  Alike alike;
  char host[64];
  HostIdentity identity;
  std::int32_t process;
  std::int32_t meeting;  // the sender's descriptor of its MeetingPage
  std::uint64_t key[2];  // rank 0's is the job's
  lockfree::RankPlace place;
  transport::network::NetworkAddress network_address;
  std::uint32_t devices;  // as in JobHeader
  cpu_set_t cpus;         // the CPUs on which it may run; none: not known
};

// Through this page a host's first rank tells the others of its host the memory that it has made.
// Each rank makes one before it knows whether it will be the first.
struct MeetingPage {
  std::atomic<std::int32_t> memory;  // its descriptor of the memory, plus 1; -1: it failed
};

lockfree::RankPlace place_on(const cpu_set_t& cpus) {
  lockfree::RankPlace place{-1, 1, -1, -1, -1, -1, -1};
  if (CPU_COUNT(&cpus) == 0) return place;
  place.cpu_count = CPU_COUNT(&cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE && place.cpu < 0; ++cpu)
    if (CPU_ISSET(cpu, &cpus)) place.cpu = cpu;
  return place;
}

// This is the job as the introductions describe it.
class Gathering {
 public:
  explicit Gathering(ProcessManager& manager)
      : manager_(manager),
        size_(static_cast<std::uint32_t>(manager.size())),
        self_(static_cast<std::uint32_t>(manager.rank())) {}
  ~Gathering();
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  Error introduce();
  Error settle();
  Error attach();

 private:
  Error open_meeting();
  Error read_all();
  Error check_alike() const;
  Error check_network() const;
  void find_nodes();
  Error make_memory();
  Error fetch_memory(int* memory);
  void fill(lockfree::JobHeader* header, const lockfree::JobHeader& made) const;
  std::uint32_t usable_cpus() const;
  bool expects_network() const;
  const Introduction& own() const { return all_[self_]; }

  ProcessManager& manager_;
  std::uint32_t size_;
  std::uint32_t self_;
  Introduction* all_ = nullptr;
  std::uint32_t* node_ = nullptr;        // by rank
  std::uint32_t* local_rank_ = nullptr;  // by rank: its number on its node
  struct Members {
    std::uint32_t first;
    std::uint32_t count;
  };
  const Members& here() const { return members_[node_[self_]]; }
  Members* members_ = nullptr;  // by node
  std::uint32_t nodes_ = 0;
  int meeting_ = -1;
  MeetingPage* page_ = nullptr;
  bool is_first_ = false;  // this rank is the first of its node
};

Gathering::~Gathering() {
  std::free(all_);
  std::free(node_);
  std::free(local_rank_);
  std::free(members_);
  // A first rank's page stays, for ranks that come late.
  if (page_ && !is_first_) {
    platform::unmap_memory(page_, page_bytes);
    ::close(meeting_);
  }
}

Error Gathering::open_meeting() {
  meeting_ = platform::make_memory_file("baton-meeting", page_bytes);
  if (meeting_ >= 0) {
    platform::keep_from_programs(meeting_);
    page_ = static_cast<MeetingPage*>(platform::map_memory_file(meeting_, page_bytes));
  }
  return page_ ? MPI_SUCCESS
               : fail(MPI_ERR_NO_MEM, "no page of memory to meet the other ranks of this host in");
}

// Returns whether ranks may be on other hosts. If the launcher does not tell, we prepare for it.
bool Gathering::expects_network() const {
  return size_ > 1 && (settings.ranks_per_node > 0 || manager_.ranks_here().size() != size_);
}

Error Gathering::introduce() {
  all_ = static_cast<Introduction*>(std::calloc(size_, sizeof(Introduction)));
  node_ = static_cast<std::uint32_t*>(std::calloc(size_, sizeof(std::uint32_t)));
  local_rank_ = static_cast<std::uint32_t*>(std::calloc(size_, sizeof(std::uint32_t)));
  members_ = static_cast<Members*>(std::calloc(size_, sizeof(Members)));
  if (!all_ || !node_ || !local_rank_ || !members_)
    return fail(MPI_ERR_NO_MEM, "no memory for the introductions of %u ranks", size_);
  if (Error error = open_meeting()) return error;
  Introduction& own = all_[self_];
  own.alike = own_alike();
  platform::host_name(own.host, sizeof own.host);
  own.identity = platform::host_identity();
  // The setting ranks_per_node makes one host look like several.
  if (settings.ranks_per_node > 0)
    own.identity.boot[1] += self_ / static_cast<std::uint32_t>(settings.ranks_per_node);
  own.process = ::getpid();
  own.devices = platform::has_device_file();
  own.meeting = meeting_;
  if (!platform::allowed_cpus(0, &own.cpus)) CPU_ZERO(&own.cpus);
  own.place = place_on(own.cpus);
  for (std::uint64_t& word : own.key) word = platform::random_word();
  // A rank without a network reports that once all ranks are there: a launcher that is told to end
  // a job which it is still starting leaves processes behind. The others then do not pass the next
  // fence.
  Error no_network = MPI_SUCCESS;
  if (expects_network()) {
    no_network = network().open_endpoint(settings.ranks_per_node > 0);
    if (!no_network) own.network_address = network().own_address();
  }
  const Introduction mine = own;
  if (Error error = manager_.publish(&mine, sizeof mine)) return error;
  if (Error error = manager_.fence()) return error;
  return no_network ? no_network : read_all();
}

Error Gathering::read_all() {
  for (std::uint32_t rank = 0; rank < size_; ++rank)
    if (rank != self_)
      if (Error error = manager_.read(static_cast<int>(rank), &all_[rank], sizeof all_[rank]))
        return error;
  // No rank may end while others read its record.
  return manager_.fence();
}

Error Gathering::check_alike() const {
  char words[400], hosts[2][72];
  std::snprintf(hosts[0], sizeof hosts[0], "host %s", own().host);
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    std::snprintf(hosts[1], sizeof hosts[1], "host %s", all_[rank].host);
    if (find_difference(own().alike, all_[rank].alike, {hosts[0], hosts[1]}, words, sizeof words))
      return fail(MPI_ERR_OTHER,
                  "rank %u on host %s and rank %u on host %s do not have %s; give all hosts the "
                  "same",
                  self_, own().host, rank, all_[rank].host, words);
  }
  return MPI_SUCCESS;
}

void Gathering::find_nodes() {
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    // Finds the node among those so far, by their first ranks; most often it is the last one.
    std::uint32_t node = nodes_;
    while (node > 0 && !(all_[members_[node - 1].first].identity == all_[rank].identity)) --node;
    if (node == 0)
      members_[node = ++nodes_ - 1] = {rank, 0};
    else
      --node;
    node_[rank] = node;
    local_rank_[rank] = members_[node].count++;
  }
}

Error Gathering::check_network() const {
  for (std::uint32_t rank = 0; nodes_ > 1 && rank < size_; ++rank) {
    if (all_[rank].network_address.address.bytes > 0) continue;
    if (own().network_address.address.bytes > 0)
      return fail(MPI_ERR_OTHER,
                  "rank %u on host %s has no network, and this is a job on several nodes; it says "
                  "why",
                  rank, all_[rank].host);
    return fail(MPI_ERR_OTHER,
                "the launcher (%s) says that all ranks are on one node, but rank %u on host %s "
                "shares no memory with rank %u on host %s: they are in different containers or "
                "namespaces. Start them in one, or set BATON_RANKS_PER_NODE=1",
                manager_.name(), self_, own().host, rank, all_[rank].host);
  }
  return MPI_SUCCESS;
}

Error Gathering::settle() {
  if (Error error = check_alike()) return error;
  find_nodes();
  return check_network();
}

std::uint32_t Gathering::usable_cpus() const {
  return share_of_cpus(size_, self_, [this](std::uint32_t rank) {
    return CpuUser{node_[rank], all_[rank].identity.boot[0], &all_[rank].cpus};
  });
}

void Gathering::fill(lockfree::JobHeader* header, const lockfree::JobHeader& made) const {
  *header = made;
  for (std::uint32_t rank = 0; rank < size_; ++rank) {
    header->devices |= all_[rank].devices;
    lockfree::RankPlace place = all_[rank].place;
    place.node = static_cast<std::int32_t>(node_[rank]);
    const bool here = node_[rank] == node_[self_];
    if (here) {
      auto& row = lockfree::rank_row(header, local_rank_[rank])->launcher;
      row.place = place;
      row.process = rank;
      row.pid = all_[rank].process;
    }
    if (!made.processes_offset) continue;
    ProcessEntry& entry = *lockfree::process_entry(header, rank);
    entry.place = place;
    entry.local_rank = here ? local_rank_[rank] : lockfree::no_local_rank;
    std::memcpy(entry.network_address, &all_[rank].network_address,
                sizeof all_[rank].network_address);
    // relaxed: it is ordered by the page that names this memory.
    entry.ready.store(1, std::memory_order_relaxed);
  }
}

// Makes the memory of a host, on its first rank.
Error Gathering::make_memory() {
  lockfree::WorldPlan world{.processes = size_, .nodes = nodes_, .key = {}};
  std::copy_n(all_[0].key, 2, world.key);
  world.job = static_cast<std::uint32_t>(world.key[0]) | 1;
  lockfree::RingPlan rings;
  rings.deposit = lockfree::deposit_plan(settings.deposit_model, settings.deposit_ring_bytes);
  rings.own_max = static_cast<std::int32_t>(settings.own_rings);
  rings.unshared = settings.continue_on_failure != 0;
  lockfree::JobHeader made = lockfree::job_header(here().count, usable_cpus(), rings, world);
  made.launcher_pid = ::getppid();
  made.foreign_launcher = true;
  made.continues = settings.continue_on_failure != 0;
  const int memory = platform::make_memory_file("baton-job", made.file_bytes);
  const std::uint64_t head_bytes = made.slices_offset;
  void* head = memory < 0 ? nullptr : platform::map_memory_file(memory, head_bytes);
  Error error = MPI_SUCCESS;
  if (head) {
    fill(static_cast<lockfree::JobHeader*>(head), made);
    platform::unmap_memory(head, head_bytes);
    error = transport::attach(memory, LocalRank{0});
  } else {
    error = fail(MPI_ERR_NO_MEM, "no memory file of %llu MiB (mostly never touched) for this node",
                 static_cast<unsigned long long>(made.file_bytes >> 20));
  }
  // ORDER meeting.memory: release here, acquire in fetch_memory; the memory is filled.
  page_->memory.store(error ? -1 : transport::job_file() + 1, std::memory_order_release);
  return error;
}

// Fetches the memory of the host, on its other ranks.
Error Gathering::fetch_memory(int* memory) {
  constexpr std::int64_t patience_us = 10'000'000, look_us = 50;
  const Introduction& first = all_[here().first];
  const int file = platform::open_from_process(first.process, first.meeting);
  auto* page =
      file < 0 ? nullptr : static_cast<MeetingPage*>(platform::map_memory_file(file, page_bytes));
  if (file >= 0) ::close(file);
  std::int32_t told = 0;
  for (std::int64_t waited = 0; page && !told && waited < patience_us; waited += look_us) {
    // ORDER meeting.memory: acquire here, release in make_memory.
    told = page->memory.load(std::memory_order_acquire);
    if (!told) ::usleep(look_us);
  }
  if (page) platform::unmap_memory(page, page_bytes);
  *memory = told > 0 ? platform::open_from_process(first.process, told - 1) : -1;
  if (*memory >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "rank %u cannot open the memory that rank %u has made for host %s (%s); the two run "
              "as different users, or /proc is hidden. BATON_RANKS_PER_NODE=1 does without it",
              self_, here().first, own().host,
              !page      ? "its process is not to be seen"
              : told < 0 ? "it had none"
              : told > 0 ? "it does not let itself be opened"
                         : "it did not come");
}

Error Gathering::attach() {
  is_first_ = here().first == self_;
  if (is_first_) return make_memory();
  int memory = -1;
  if (Error error = fetch_memory(&memory)) return error;
  return transport::attach(memory, static_cast<LocalRank>(local_rank_[self_]));
}

}  // namespace

Error join(ProcessManager& manager) {
  Gathering gathering(manager);
  if (Error error = gathering.introduce()) return error;
  if (Error error = gathering.settle()) return error;
  return gathering.attach();
}

}  // namespace baton::world
