#include "world/network/join_nodes.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/environment.hpp"
#include "platform/host_identity.hpp"
#include "platform/random.hpp"
#include "transport/network/network.hpp"
#include "transport/node.hpp"
#include "world/alike.hpp"

namespace baton::world {

using lockfree::ProcessEntry;
using transport::network::network;
using transport::network::NetworkAddress;

namespace {

// A node sends this record to the others, followed by a Member for each of its ranks.
struct NodeRecord {
  Alike alike;
  char host[64];
  std::uint64_t key[2];  // that of rank 0's node is the job's
  std::uint32_t first;   // rank in the job
  std::uint32_t count;
  std::uint32_t devices;  // as in JobHeader
};
struct Member {
  lockfree::RankPlace place;
  NetworkAddress network_address;
};

struct Free {
  void operator()(char* memory) const { std::free(memory); }
};

// Waits until an entry has its contents; its memory is there from the start.
void wait_until_ready(const ProcessEntry& entry) {
  constexpr useconds_t look_us = 100;
  // ORDER process_entry.network_address: acquire here, release in tell and in take.
  while (!entry.ready.load(std::memory_order_acquire)) ::usleep(look_us);
}

ProcessEntry& entry_of(std::uint32_t rank) {
  return transport::process_entry(static_cast<Process>(rank));
}

// This is the exchange between the first ranks of the nodes.
class Exchange {
 public:
  explicit Exchange(ProcessManager& manager) : manager_(manager) {}
  Error run();

 private:
  Error make_memory();
  void fill_own();
  Error take(int node);
  NodeRecord& head(char* record) const { return *reinterpret_cast<NodeRecord*>(record); }
  Member* members(char* record) const {
    return reinterpret_cast<Member*>(record + sizeof(NodeRecord));
  }

  ProcessManager& manager_;
  const std::uint32_t first_ = number_of(transport::process_at(LocalRank{0}));
  const std::uint32_t count_ = transport::rank_count();
  const std::uint32_t processes_ = transport::process_count();
  std::size_t bytes_ = 0;  // of each node's record
  std::unique_ptr<char, Free> own_, other_;
};

Error Exchange::make_memory() {
  // All records have the length of the longest.
  std::uint32_t most = 0, here = 0;
  for (std::uint32_t rank = 0; rank < processes_; ++rank) {
    here = rank > 0 && entry_of(rank).place.node == entry_of(rank - 1).place.node ? here + 1 : 1;
    most = std::max(most, here);
  }
  bytes_ = sizeof(NodeRecord) + most * sizeof(Member);
  own_.reset(static_cast<char*>(std::calloc(1, bytes_)));
  other_.reset(static_cast<char*>(std::calloc(1, bytes_)));
  if (own_ && other_) return MPI_SUCCESS;
  return fail(MPI_ERR_NO_MEM, "no memory for the records of nodes with up to %u ranks", most);
}

void Exchange::fill_own() {
  NodeRecord& own = head(own_.get());
  own.alike = own_alike();
  platform::host_name(own.host, sizeof own.host);
  for (std::uint64_t& word : own.key) word = platform::random_word();
  own.first = first_;
  own.count = count_;
  own.devices = transport::job().devices;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const ProcessEntry& entry = entry_of(first_ + i);
    wait_until_ready(entry);
    Member& member = members(own_.get())[i];
    member.place = entry.place;
    std::memcpy(&member.network_address, entry.network_address, sizeof member.network_address);
  }
}

// Takes in the record of another node.
Error Exchange::take(int node) {
  if (Error error = manager_.read(node, other_.get(), bytes_)) return error;
  const NodeRecord &own = head(own_.get()), &other = head(other_.get());
  char words[300], hosts[2][72];
  std::snprintf(hosts[0], sizeof hosts[0], "host %s", own.host);
  std::snprintf(hosts[1], sizeof hosts[1], "host %s", other.host);
  if (find_difference(own.alike, other.alike, {hosts[0], hosts[1]}, words, sizeof words))
    return fail(MPI_ERR_OTHER, "%s and %s do not have %s; give all hosts the same", hosts[0],
                hosts[1], words);
  transport::job().devices |= other.devices;
  if (other.first == 0) std::copy_n(other.key, 2, transport::job().world.key);
  for (std::uint32_t i = 0; i < other.count; ++i) {
    const Member& member = members(other_.get())[i];
    if (other.first + i >= processes_ || entry_of(other.first + i).place.node != member.place.node)
      return fail(MPI_ERR_OTHER,
                  "host %s says that it has rank %u, and mpiexec on host %s expects another one "
                  "there; the launcher has not started one mpiexec on each host",
                  other.host, other.first + i, own.host);
    ProcessEntry& entry = entry_of(other.first + i);
    entry.place = member.place;
    std::memcpy(entry.network_address, &member.network_address, sizeof member.network_address);
    if (member.network_address.address.bytes > 0) continue;
    return fail(
        MPI_ERR_OTHER,
        "rank %u on host %s has no network, and this is a job on several nodes; it says why",
        other.first + i, other.host);
  }
  return MPI_SUCCESS;
}

Error Exchange::run() {
  const auto nodes = static_cast<int>(transport::job().world.nodes);
  if (manager_.size() != nodes)
    return fail(MPI_ERR_OTHER,
                "the launcher (%s) has started %d processes for %d nodes; it is to start one "
                "mpiexec on each",
                manager_.name(), manager_.size(), nodes);
  if (Error error = make_memory()) return error;
  fill_own();
  if (Error error = manager_.publish(own_.get(), bytes_)) return error;
  if (Error error = manager_.fence()) return error;
  if (first_ == 0) std::copy_n(head(own_.get()).key, 2, transport::job().world.key);
  Error wrong = MPI_SUCCESS;
  for (int node = 0; node < nodes && !wrong; ++node)
    if (node != manager_.rank()) wrong = take(node);
  // Each node's mpiexec has made up a number of its own.
  lockfree::WorldPlan& world = transport::job().world;
  world.job = static_cast<std::uint32_t>(world.key[0]) | 1;
  // No rank may end while others read its record.
  if (Error error = manager_.fence()) return error;
  // The entries are marked ready even after an error: other ranks of this node may have to report
  // it.
  for (std::uint32_t rank = 0; rank < processes_; ++rank)
    // ORDER process_entry.network_address: release here, acquire in wait_until_ready and
    // find_network_address.
    if (rank < first_ || rank >= first_ + count_)
      entry_of(rank).ready.store(1, std::memory_order_release);
  return wrong;
}

// Puts this rank's network address where the first rank finds it; without a network there is no
// network address.
void tell() {
  ProcessEntry& own = entry_of(number_of(transport::process_at(transport::own_rank())));
  const NetworkAddress network_address = network().own_address();
  std::memcpy(own.network_address, &network_address, sizeof network_address);
  // ORDER process_entry.network_address: release here, acquire in wait_until_ready.
  own.ready.store(1, std::memory_order_release);
}

}  // namespace

bool is_handed_connection() {
  // This variable names, as NAME=VALUE, what leads to the launcher: a launcher that a rank starts
  // has another one.
  const char* told = environment_variable("BATON_CONNECTION");
  const char* value = told ? std::strchr(told, '=') : nullptr;
  char name[32] = {};
  if (!value || static_cast<std::size_t>(value - told) >= sizeof name) return false;
  std::memcpy(name, told, static_cast<std::size_t>(value - told));
  const char* now = environment_variable(name);
  return now && std::strcmp(now, value + 1) == 0;
}

LocalRank local_rank_of_variables() {
  const char* rank = environment_variable("BATON_RANK");
  const char* first = environment_variable("BATON_FIRST_RANK");
  return static_cast<LocalRank>((rank ? std::atoi(rank) : 0) - (first ? std::atoi(first) : 0));
}

Error join_nodes(ProcessManager* manager) {
  // A rank without a network reports that when all ranks are there, as in join.
  const Error no_network = network().open_endpoint(false);
  char why[sizeof(Explanation::text)] = {};
  if (no_network) std::snprintf(why, sizeof why, "%s", last_explanation().text);
  tell();
  if (manager) {
    Error error = Exchange(*manager).run();
    if (error && !no_network) return error;
  } else {
    const bool begins = number_of(transport::process_at(LocalRank{0})) == 0;
    wait_until_ready(entry_of(begins ? transport::rank_count() : 0));
  }
  return no_network ? fail(no_network, "%s", why) : MPI_SUCCESS;
}

}  // namespace baton::world
