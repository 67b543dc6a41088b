#include "message/core/progress_source.hpp"

#include <atomic>

namespace baton::message {

// Under the lock of the list.
void ProgressSources::make_known(ProgressSource& source) {
  if (source.known_) return;
  source.known_ = true;
  source.next_ = nullptr;
  ProgressSource** link = &first;
  while (*link) link = &(*link)->next_;
  // ORDER sources.link: release here, acquire in after.
  std::atomic_ref(*link).store(&source, std::memory_order_release);
}

void ProgressSources::forget() {
  for (ProgressSource* source = first; source; source = source->next_) {
    source->known_ = false;
    source->under_way_ = 0;
  }
}

}  // namespace baton::message
