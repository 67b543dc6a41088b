#include "transport/memory_report.hpp"

#include <algorithm>
#include <cerrno>

#include "platform/memory_file.hpp"
#include "platform/node_memory.hpp"
#include "transport/arena.hpp"
#include "transport/placing.hpp"
#include "transport/program_heap.hpp"

namespace baton::transport {

namespace {

platform::NodeBytes heap_now;
platform::NodeBytes heap_peak;  // of each node for itself
std::uint64_t heap_peak_total = 0;
int blocks_error = 0;

platform::NodeBytes look_at(const char* address, std::uint64_t bytes) {
  platform::NodeBytes counts;
  platform::touch_pages(address, bytes);
  if (!platform::count_pages(address, bytes, &counts)) blocks_error = errno;
  return counts;
}

void note_most() {
  for (int node = 0; node < numa_nodes_max; ++node)
    heap_peak.on[node] = std::max(heap_peak.on[node], heap_now.on[node]);
  heap_peak_total = std::max(heap_peak_total, heap_now.total());
}

}  // namespace

// Both under the heap's lock.
void note_block(const char* address, std::uint64_t bytes) {
  heap_now.add(look_at(address, bytes));
  note_most();
}

void forget_block(const char* address, std::uint64_t bytes) {
  platform::NodeBytes gone = look_at(address, bytes);
  for (int node = 0; node < numa_nodes_max; ++node)
    heap_now.on[node] -= std::min(heap_now.on[node], gone.on[node]);
  heap_now.elsewhere -= std::min(heap_now.elsewhere, gone.elsewhere);
}

void publish_memory() {
  const lockfree::SliceLayout& layout = arena.layout;
  auto& record = *reinterpret_cast<lockfree::MemoryRecord*>(arena.part(arena.rank, layout.memory));
  platform::NodeBytes rest;
  record.rest_error = platform::count_process_pages("/memfd:baton-job", &rest) ? 0 : errno;
  std::ranges::copy(rest.on, record.rest_bytes);
  record.rest_elsewhere_bytes = rest.elsewhere;
  if (!count_program_heap(&heap_now)) blocks_error = errno;
  note_most();
  std::ranges::copy(heap_now.on, record.heap_bytes);
  record.heap_elsewhere_bytes = heap_now.elsewhere;
  std::ranges::copy(heap_peak.on, record.heap_peak_bytes);
  record.heap_peak_total_bytes = heap_peak_total;
  record.process_peak_bytes = platform::process_peak_bytes();
  record.blocks_error = blocks_error;
  Shortage shortage_seen = shortage();
  record.short_node = shortage_seen.node;
  record.short_free_bytes = shortage_seen.free_bytes;
  record.short_bytes = shortage_seen.bytes;
  record.published = 1;
}

}  // namespace baton::transport
