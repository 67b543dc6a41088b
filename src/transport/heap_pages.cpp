#include "transport/heap_pages.hpp"

#include <algorithm>
#include <cerrno>

namespace baton::transport {

void HeapPages::note_peak() {
  for (int node = 0; node < numa_nodes_max; ++node)
    peak.on[node] = std::max(peak.on[node], now.on[node]);
  peak_total = std::max(peak_total, now.total());
}

platform::NodeBytes HeapPages::look_at(const char* address, std::uint64_t bytes) {
  platform::NodeBytes counts;
  platform::touch_pages(address, bytes);
  if (!platform::count_pages(address, bytes, &counts)) error = errno;
  return counts;
}

void HeapPages::add(const char* address, std::uint64_t bytes) {
  now.add(look_at(address, bytes));
  note_peak();
}

void HeapPages::subtract(const char* address, std::uint64_t bytes) {
  const platform::NodeBytes gone = look_at(address, bytes);
  for (int node = 0; node < numa_nodes_max; ++node)
    now.on[node] -= std::min(now.on[node], gone.on[node]);
  now.elsewhere -= std::min(now.elsewhere, gone.elsewhere);
}

}  // namespace baton::transport
