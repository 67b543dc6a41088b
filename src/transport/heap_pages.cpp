#include "transport/heap_pages.hpp"

#include <algorithm>
#include <cerrno>

namespace baton::transport {

HeapPages heap_pages;

void HeapPages::note_peak() {
  for (int node = 0; node < numa_nodes_max; ++node)
    peak.on[node] = std::max(peak.on[node], now.on[node]);
  peak_total = std::max(peak_total, now.total());
}

namespace {

platform::NodeBytes look_at(const char* address, std::uint64_t bytes) {
  platform::NodeBytes counts;
  platform::touch_pages(address, bytes);
  if (!platform::count_pages(address, bytes, &counts)) heap_pages.error = errno;
  return counts;
}

}  // namespace

void note_block(const char* address, std::uint64_t bytes) {
  heap_pages.now.add(look_at(address, bytes));
  heap_pages.note_peak();
}

void forget_block(const char* address, std::uint64_t bytes) {
  const platform::NodeBytes gone = look_at(address, bytes);
  platform::NodeBytes& now = heap_pages.now;
  for (int node = 0; node < numa_nodes_max; ++node)
    now.on[node] -= std::min(now.on[node], gone.on[node]);
  now.elsewhere -= std::min(now.elsewhere, gone.elsewhere);
}

}  // namespace baton::transport
