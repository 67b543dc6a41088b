#include "transport/placing.hpp"

#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <mutex>

#include "base/report.hpp"
#include "platform/memory_file.hpp"
#include "platform/memory_policy.hpp"
#include "platform/node_memory.hpp"
#include "transport/share_out.hpp"

namespace baton::transport {

constinit Placing placing;

namespace {

using platform::MemoryBinding;
using platform::MemoryMode;
using platform::NodeMask;

// One rank says these for all; they are bits of JobHeader::notes_given.
enum Note : std::uint32_t { note_refused = 1, note_huge = 2, note_no_plan = 4 };

__attribute__((format(printf, 2, 3))) void say_once(Note note, const char* format, ...) {
  // relaxed: one rank gets to say it; no other data depends on it.
  if (std::atomic_ref(job_arena.job->notes_given).fetch_or(note, std::memory_order_relaxed) & note)
    return;
  char text[400];
  va_list parts;
  va_start(parts, format);
  std::vsnprintf(text, sizeof text, format, parts);
  va_end(parts);
  report("%s", text);
}

unsigned long long mib(std::uint64_t bytes) {
  return static_cast<unsigned long long>(bytes >> 20);
}

// Finds the nodes of a policy as this rank has them; a count of 0: they are not known.
Error find_order(const NumaPolicy& policy, lockfree::MemoryOrder* order) {
  const lockfree::MemoryRow& row = job_arena.own_slot().memory();
  *order = {};
  if (policy.word == MemoryWord::none) return MPI_SUCCESS;
  constexpr int first = static_cast<int>(ordered_words[0]);
  if (policy.word != MemoryWord::node) {
    *order = row.orders[static_cast<int>(policy.word) - first];
    return MPI_SUCCESS;
  }
  NodeMask known = row.nodes_allowed ? row.nodes_allowed : platform::allowed_nodes();
  NodeMask taken = 0;
  auto add = [&](std::uint8_t node) {
    if (taken & platform::node_bit(node) || order->count == std::size(order->nodes)) return;
    taken |= platform::node_bit(node);
    order->nodes[order->count++] = node;
  };
  for (int i = 0; i < policy.listed; ++i) {
    if (known && !(known & platform::node_bit(policy.nodes[i])))
      return fail(MPI_ERR_INFO_VALUE,
                  "memory %s: there is no NUMA node %d that this job may use; `baton topo` "
                  "lists them",
                  policy_text(policy).words, policy.nodes[i]);
    add(policy.nodes[i]);
  }
  order->meant = order->count;
  const lockfree::MemoryOrder& near = row.orders[static_cast<int>(MemoryWord::near) - first];
  for (int i = 0; i < near.count; ++i) add(near.nodes[i]);
  return MPI_SUCCESS;
}

NodeMask mask_of(const lockfree::MemoryOrder& order, int count) {
  NodeMask mask = 0;
  for (int i = 0; i < count; ++i) mask |= platform::node_bit(order.nodes[i]);
  return mask;
}

// Reports that the kernel refuses to bind: as an error where the policy is strict, else as a
// sentence once a job.
Error not_bound(const NumaPolicy& policy) {
  constexpr char remedy[] =
      "in a container start it with --cap-add SYS_NICE, or a seccomp profile that allows mbind";
  if (policy.strict)
    return fail(MPI_ERR_NO_MEM, "memory %s: mbind: %s; %s", policy_text(policy).words,
                std::strerror(errno), remedy);
  say_once(note_refused,
           "memory is not placed (%s), the kernel puts it where it likes: mbind: %s; %s",
           policy_text(policy).words, std::strerror(errno), remedy);
  return MPI_SUCCESS;
}

Error bind_block(const Unplaced& memory, const NumaPolicy& policy, const MemoryBinding& binding) {
  if (platform::bind_memory(memory.address, memory.bytes, binding)) return MPI_SUCCESS;
  return not_bound(policy);
}

Error check_space(const NumaPolicy& policy, const lockfree::MemoryOrder& order, bool in_turn,
                  std::uint64_t bytes) {
  std::uint64_t space = 0;
  for (int i = 0; i < order.meant; ++i) {
    std::uint64_t one = platform::space_under_pressure(platform::node_space(order.nodes[i]));
    std::uint64_t share = in_turn ? bytes / order.meant : bytes;
    if (in_turn && one < share)
      return fail(MPI_ERR_NO_MEM,
                  "memory %s: node %d has space for %llu MiB, and %llu MiB are wanted there; "
                  "ask for less, or leave out the ! to let it go elsewhere",
                  policy_text(policy).words, order.nodes[i], mib(one), mib(share));
    space = one > ~space ? ~std::uint64_t{0} : space + one;
  }
  if (in_turn || space >= bytes) return MPI_SUCCESS;
  return fail(MPI_ERR_NO_MEM,
              "memory %s: node %d%s space for %llu MiB, and %llu MiB are wanted; ask for less, "
              "or leave out the ! to let it go elsewhere",
              policy_text(policy).words, order.nodes[0],
              order.meant > 1 ? " and the others have" : " has", mib(space), mib(bytes));
}

// Binds the memory, in parts where the first node has no space for all of it.
Error bind_preferring(const Unplaced& memory, const NumaPolicy& policy,
                      const lockfree::MemoryOrder& order) {
  NodeShare shares[std::size(order.nodes) + 1];
  auto space_of = [](int node) {
    return platform::space_without_pressure(platform::node_space(node));
  };
  int count = share_out(memory.bytes, {order.nodes, order.count}, space_of, shares);
  std::uint64_t done = 0;
  for (int i = 0; i < count; ++i) {
    Unplaced part{memory.address + done, shares[i].bytes};
    if (Error error =
            bind_block(part, policy, {MemoryMode::prefer, platform::node_bit(shares[i].node)}))
      return error;
    done += shares[i].bytes;
  }
  return MPI_SUCCESS;
}

Error bind_by_policy(const Unplaced& memory, const NumaPolicy& policy) {
  if (policy.word == MemoryWord::none) return MPI_SUCCESS;
  lockfree::MemoryOrder order;
  if (Error error = find_order(policy, &order)) return error;
  if (order.count == 0) {
    if (policy.strict)
      return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                  "memory %s: only ranks that mpiexec has started know the machine's memory; "
                  "start the program with mpiexec -n 1, or name a node",
                  policy_text(policy).words);
    say_once(note_no_plan,
             "memory is not placed (%s): only ranks that mpiexec has started know the machine's "
             "memory",
             policy_text(policy).words);
    return MPI_SUCCESS;
  }
  bool in_turn = policy.word == MemoryWord::interleave;
  if (policy.strict)
    if (Error error = check_space(policy, order, in_turn, memory.bytes)) return error;
  if (in_turn) {
    MemoryMode mode = order.weighs ? MemoryMode::weighted : MemoryMode::interleave;
    return bind_block(memory, policy, {mode, mask_of(order, order.meant)});
  }
  if (policy.strict)
    return bind_block(memory, policy, {MemoryMode::bind, mask_of(order, order.meant)});
  return bind_preferring(memory, policy, order);
}

bool reserve_block(const Unplaced& memory, const NumaPolicy& policy) {
  bool huge = policy.huge && memory.bytes % huge_page_bytes == 0;
  bool got_huge = false, reserved;
  if (memory.descriptor < 0) {
    if (huge) got_huge = platform::ask_for_huge_pages(memory.address, memory.bytes);
    // Memory that may lie elsewhere may also get its pages with its first use.
    reserved = !policy.strict || platform::reserve_private_memory(memory.address, memory.bytes);
  } else if (huge) {
    reserved = platform::reserve_huge_memory(memory.descriptor, memory.offset, memory.address,
                                             memory.bytes, &got_huge);
  } else {
    reserved = platform::reserve_memory(memory.descriptor, memory.offset, memory.bytes);
  }
  if (huge && reserved && !got_huge)
    say_once(
        note_huge,
        "no huge pages for the heap (%s), it has small ones: Linux 6.1 can put "
        "them together; before, set /sys/kernel/mm/transparent_hugepage/shmem_enabled to advise",
        std::strerror(errno));
  return reserved;
}

// Returns whether ranks that look at a node's space at the same time could count on the same space.
// If the node has space for such a block of every rank, none waits while another's pages are
// cleared.
bool space_is_short(const Unplaced& memory, const NumaPolicy& policy) {
  if (policy.strict) return true;
  lockfree::MemoryOrder order;
  if (memory.descriptor < 0 || find_order(policy, &order) || order.count == 0) return false;
  std::uint64_t space = platform::space_without_pressure(platform::node_space(order.nodes[0]));
  return space / job_arena.slots < memory.bytes;
}

// Moves pages back to the named nodes. It is not known exactly how much a nearly full node gives;
// the rest has gone to the node nearest to it, and belongs on another named node where there are
// several.
void gather_on_named(const Unplaced& memory, const NumaPolicy& policy) {
  lockfree::MemoryOrder order;
  if (find_order(policy, &order) || order.meant < 2) return;
  platform::touch_pages(memory.address, memory.bytes);  // the kernel only moves mapped pages
  platform::gather_pages(memory.address, memory.bytes, mask_of(order, order.meant));
}

}  // namespace

const NumaPolicy* heap_policy() {
  if (!job_arena.job) return nullptr;
  const NumaPolicy& policy = job_arena.own_slot().memory().heap;
  return policy.asks() ? &policy : nullptr;
}

// Notes for the report which part of a new block lies on other than the meant nodes.
void Placing::look_for_shortage(const Unplaced& memory, const NumaPolicy& policy) {
  lockfree::MemoryOrder order;
  if (policy.strict || memory.descriptor < 0 || find_order(policy, &order) || order.count == 0)
    return;
  platform::NodeBytes counts;
  platform::touch_pages(memory.address, memory.bytes);
  if (!platform::count_pages(memory.address, memory.bytes, &counts)) return;
  std::uint64_t elsewhere = counts.total();
  for (int i = 0; i < order.meant; ++i) elsewhere -= counts.on[order.nodes[i]];
  if (elsewhere == 0) return;
  std::lock_guard guard(lock_);
  if (shortage.node < 0)
    shortage = {order.nodes[0],
                platform::space_without_pressure(platform::node_space(order.nodes[0])), 0};
  shortage.bytes += elsewhere;
}

Error Placing::reserve(const Unplaced& memory, const NumaPolicy& policy, bool* reserved) {
  Error error;
  {
    // Between looking at a node's space and taking it no other rank may look, nor another thread.
    std::lock_guard guard(lock_);
    const int file = space_is_short(memory, policy) ? job_file() : -1;
    const bool turn = file >= 0 && platform::take_turn(file);
    error = bind_by_policy(memory, policy);
    *reserved = !error && reserve_block(memory, policy);
    if (*reserved && file >= 0 && !policy.strict) gather_on_named(memory, policy);
    if (turn) platform::give_up_turn(file);
  }
  if (*reserved && BATON_UNLIKELY(job_arena.job->memory_report)) look_for_shortage(memory, policy);
  if (error || !*reserved) forget_policy(memory.address, memory.bytes);
  return error;
}

void forget_policy(char* address, std::uint64_t bytes) {
  (void)platform::bind_memory(address, bytes, {});
}

Error check_slice_space(Slot owner, std::uint64_t bytes) {
  const NumaPolicy& policy = owner.memory().queues;
  lockfree::MemoryOrder order = owner.memory().queue_order;
  std::uint64_t space = 0;
  for (int i = 0; i < order.meant; ++i) {
    std::uint64_t one = platform::space_under_pressure(platform::node_space(order.nodes[i]));
    space = one > ~space ? ~std::uint64_t{0} : space + one;
  }
  if (space >= bytes || order.meant == 0) return MPI_SUCCESS;
  return fail(MPI_ERR_NO_MEM,
              "queues=%s: node %d is full: space for %llu KiB, and %llu KiB of message buffers are "
              "wanted there; leave out the ! to let them go elsewhere",
              policy_text(policy).words, order.nodes[0],
              static_cast<unsigned long long>(space >> 10),
              static_cast<unsigned long long>(bytes >> 10));
}

}  // namespace baton::transport
