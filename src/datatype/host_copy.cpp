#include "datatype/host_copy.hpp"

#include <algorithm>
#include <cstdlib>

#include "datatype/foreign.hpp"
#include "datatype/runs.hpp"

namespace baton::datatype {

void Span::include(const Span& other) {
  if (other.is_empty()) return;
  if (is_empty()) {
    *this = other;
    return;
  }
  first = std::min(first, other.first);
  end = std::max(end, other.end);
}

Span span_of(const Datatype& type, const void* place, std::int64_t count) {
  if (count <= 0 || type.size == 0) return {};
  const std::int64_t steps = (count - 1) * type.extent;
  const std::intptr_t first = reinterpret_cast<std::intptr_t>(place) + type.true_lower_bound;
  return {first + std::min<std::int64_t>(0, steps),
          first + type.true_extent + std::max<std::int64_t>(0, steps)};
}

void copy_to_host(const BatonMemoryKind& kind, const Datatype& type, void* place,
                  std::int64_t count, std::ptrdiff_t shift) {
  platform::ForeignCopies copies(kind);
  for_each_run(type, place, count, [&](char* run, std::int64_t bytes) {
    copies.copy(run + shift, run, static_cast<std::size_t>(bytes));
    return true;
  });
}

void copy_from_host(const BatonMemoryKind& kind, const Datatype& type, void* place,
                    std::int64_t count, std::ptrdiff_t shift) {
  platform::ForeignCopies copies(kind);
  for_each_run(type, place, count, [&](char* run, std::int64_t bytes) {
    copies.copy(run, run + shift, static_cast<std::size_t>(bytes));
    return true;
  });
}

HostCopy::HostCopy(const Datatype& type, const void* place, std::int64_t count, bool filled)
    : type_(type), place_(const_cast<void*>(place)), count_(count), kind_(kind_of(type, place)) {
  if (BATON_LIKELY(!kind_)) return;
  const Span span = span_of(type, place, count);
  if (span.is_empty()) {
    kind_ = nullptr;
    return;
  }
  memory_ = static_cast<char*>(std::malloc(span.copy_bytes()));
  if (!memory_) return;
  shift_ = span.shift_to(memory_);
  if (filled) copy_to_host(*kind_, type_, place_, count_, shift_);
}

HostCopy::~HostCopy() {
  std::free(memory_);
}

void HostCopy::bring_back() {
  if (kind_) copy_from_host(*kind_, type_, place_, count_, shift_);
}

}  // namespace baton::datatype
