#include "lockfree/job.hpp"

#include <algorithm>

#include "platform/device/device_memory.hpp"
#include "platform/futex.hpp"

namespace baton::lockfree {

namespace {

// This is an FNV-1a hash over every size and offset on which both sides of an attach must agree.
constexpr std::uint32_t layout_hash() {
  std::uint32_t hash = 2166136261u;
  for (std::uint64_t value : {std::uint64_t{sizeof(JobHeader)},
                              std::uint64_t{sizeof(RankRow)},
                              std::uint64_t{offsetof(RankRow, state)},
                              ring_bytes,
                              std::uint64_t{rendezvous_entries_per_rank},
                              rendezvous_entry_bytes,
                              std::uint64_t{chunks_per_rank},
                              chunk_bytes,
                              progress_bytes,
                              consumer_bytes,
                              std::uint64_t{adverts_per_pair},
                              advert_bytes,
                              shared_ring_control_offset,
                              shared_ring_bytes,
                              room_pool_bytes(64),
                              room_blocks_bytes(64),
                              room_blocks_bytes(1024),
                              room_banks(1024),
                              std::uint64_t{sizeof(TrafficRecord)},
                              std::uint64_t{sizeof(MemoryRow)},
                              std::uint64_t{sizeof(ProcessEntry)},
                              std::uint64_t{sizeof(MemoryRecord)}})
    hash = (hash ^ static_cast<std::uint32_t>(value)) * 16777619u;
  return hash;
}

}  // namespace

PeerClass peer_class(const RankPlace& one, const RankPlace& other) {
  auto same = [](std::int32_t a, std::int32_t b) { return a == b && a >= 0; };
  if (one.node != other.node) return PeerClass::between_nodes;
  if (same(one.l2, other.l2)) return PeerClass::l2;
  if (same(one.l3, other.l3)) return PeerClass::l3;
  if (same(one.numa_node, other.numa_node)) return PeerClass::numa_node;
  return PeerClass::other;
}

SliceLayout slice_layout(std::uint32_t ranks, std::uint64_t deposit_ring_bytes) {
  SliceLayout layout{};
  std::uint64_t offset = 0;
  auto place = [&offset](std::uint64_t bytes) {
    std::uint64_t start = offset;
    offset = round_up(offset + bytes, page_bytes);
    return start;
  };
  layout.rendezvous_entries = place(rendezvous_entries_per_rank * rendezvous_entry_bytes);
  layout.heads = place(std::uint64_t{ranks} * consumer_bytes);
  layout.rings = place(std::uint64_t{ranks} * ring_bytes);
  layout.adverts = place(std::uint64_t{ranks} * adverts_per_pair * advert_bytes);
  layout.rooms = place(room_pool_bytes(ranks));
  layout.progress = place(chunks_per_rank * progress_bytes);
  layout.staging = place(chunks_per_rank * chunk_bytes);
  layout.record = place(sizeof(TrafficRecord));
  layout.memory = place(sizeof(MemoryRecord));
  layout.deposits = place(deposit_ring_bytes ? ranks * deposit_bytes(deposit_ring_bytes) : 0);
  layout.bytes = offset;
  return layout;
}

std::uint64_t usual_slice_bytes(const SliceLayout& layout) {
  return (layout.adverts - layout.heads) + (layout.record - layout.progress);
}

DepositPlan deposit_plan(std::int64_t model, std::int64_t bytes_of_ring) {
  if (model == 0) return {};
  return {static_cast<std::int32_t>(model),
          round_up(static_cast<std::uint64_t>(bytes_of_ring), page_bytes)};
}

JobHeader job_header(std::uint32_t ranks, std::uint32_t cpus_usable, RingPlan rings,
                     WorldPlan world) {
  JobHeader header{};
  header.magic = job_magic;
  header.version = job_version;
  header.layout_hash = layout_hash();
  header.ranks = ranks;
  header.cpus_usable = cpus_usable;
  // With a CPU each, receivers establish the order with membarrier; else senders fence.
  header.senders_fence = ranks > cpus_usable || !platform::membarrier_register();
  header.rings = rings;
  header.devices = platform::has_device_file();
  if (rings.own_max < 0)
    header.rings.own_max =
        std::clamp(own_rings_in_all / static_cast<std::int32_t>(std::max(ranks, 1u)),
                   own_rings_least, own_rings_most);
  header.rows_offset = page_bytes;
  header.memory_offset = header.rows_offset + ranks * sizeof(RankRow);
  header.rings_shared =
      rings.deposit.model == 0 && !rings.unshared &&
      (ranks > own_rings_ranks_max || static_cast<std::int32_t>(ranks) - 1 > header.rings.own_max);
  header.world = world;
  if (world.processes == 0) header.world.processes = ranks;
  std::uint64_t end = header.memory_offset + ranks * sizeof(MemoryRow);
  if (world.nodes > 1) {
    header.processes_offset = round_up(end, page_bytes);
    end = header.processes_offset + header.world.processes * sizeof(ProcessEntry);
  }
  header.mailboxes_offset = round_up(end, page_bytes);
  header.mailbox_bytes = page_bytes + (header.rings_shared ? shared_ring_bytes : 0);
  header.slices_offset = header.mailboxes_offset + ranks * header.mailbox_bytes;
  header.slice_bytes = slice_layout(ranks, rings.deposit.ring_bytes).bytes;
  header.file_bytes = header.slices_offset + ranks * header.slice_bytes;
  header.heaps_offset = round_up(header.file_bytes, huge_page_bytes);
  return header;
}

const char* job_header_problem(const JobHeader& header) {
  if (header.magic != job_magic) return "this is not a Baton job";
  if (header.version != job_version) return "mpiexec and libmpi_abi.so.1 are of different versions";
  if (header.layout_hash != layout_hash())
    return "mpiexec and libmpi_abi.so.1 were built with different layouts";
  if (header.ranks == 0 || header.ranks > ranks_max) return "the number of ranks is out of range";
  JobHeader expected = job_header(header.ranks, header.cpus_usable, header.rings, header.world);
  if (header.file_bytes != expected.file_bytes || header.slices_offset != expected.slices_offset ||
      header.memory_offset != expected.memory_offset ||
      header.mailboxes_offset != expected.mailboxes_offset ||
      header.processes_offset != expected.processes_offset ||
      header.mailbox_bytes != expected.mailbox_bytes ||
      header.rings_shared != expected.rings_shared || header.rows_offset != expected.rows_offset ||
      header.heaps_offset != expected.heaps_offset)
    return "its sizes do not add up";
  return nullptr;
}

}  // namespace baton::lockfree
