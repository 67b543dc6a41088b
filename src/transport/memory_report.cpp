#include "transport/memory_report.hpp"

#include <algorithm>
#include <cerrno>

#include "platform/device/device_memory.hpp"
#include "platform/device/device_usage.hpp"
#include "platform/memory_file.hpp"
#include "platform/node_memory.hpp"
#include "transport/heap.hpp"
#include "transport/placing.hpp"
#include "transport/program_heap.hpp"

namespace baton::transport {

void publish_memory() {
  const lockfree::SliceLayout& layout = job_arena.layout;
  auto& record =
      *reinterpret_cast<lockfree::MemoryRecord*>(job_arena.own_slot().part(layout.memory));
  platform::NodeBytes rest;
  record.rest_error = platform::count_process_pages("/memfd:baton-job", &rest) ? 0 : errno;
  std::ranges::copy(rest.on, record.rest_bytes);
  record.rest_elsewhere_bytes = rest.elsewhere;
  HeapPages& heap = exported_heap.pages;
  if (!program_heap.count(&heap.now)) heap.error = errno;
  heap.note_peak();
  std::ranges::copy(heap.now.on, record.heap_bytes);
  record.heap_elsewhere_bytes = heap.now.elsewhere;
  std::ranges::copy(heap.peak.on, record.heap_peak_bytes);
  record.heap_peak_total_bytes = heap.peak_total;
  record.process_peak_bytes = platform::process_peak_bytes();
  record.blocks_error = heap.error;
  record.short_node = placing.shortage.node;
  record.short_free_bytes = placing.shortage.free_bytes;
  record.short_bytes = placing.shortage.bytes;
  record.uses_device = platform::device_memory.driver() != nullptr;
  record.device_is_told = record.uses_device && platform::count_device_bytes(&record.device_bytes);
  record.published = 1;
}

}  // namespace baton::transport
