#include "tests/lockfree/model/memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace baton::model {

namespace {

bool acquires(std::memory_order order) {
  return order != std::memory_order_relaxed && order != std::memory_order_release;
}
bool releases(std::memory_order order) {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

}  // namespace

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0xff51afd7ed558ccdULL;
  h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 29);
}

void Knowledge::join_seen(const Knowledge& other) {
  for (int i = 0; i < locations_max; ++i) seen[i] = std::max(seen[i], other.seen[i]);
}
void Knowledge::join(const Knowledge& other) {
  join_seen(other);
  for (int i = 0; i < threads_max; ++i) clock[i] = std::max(clock[i], other.clock[i]);
}
bool Knowledge::covers(const Knowledge& other) const {
  for (int i = 0; i < locations_max; ++i)
    if (seen[i] < other.seen[i]) return false;
  for (int i = 0; i < threads_max; ++i)
    if (clock[i] < other.clock[i]) return false;
  return true;
}

void Memory::begin() {
  reset();
  location_by_slot_.fill(-1);
  locations_ = 0;
}

void Memory::reset() {
  std::memset(arena_, 0, touched_bytes_);
  std::memset(static_cast<void*>(epochs_.data()), 0, touched_bytes_ * sizeof(Epochs));
  touched_bytes_ = 0;
  for (int i = 0; i < locations_; ++i) words_[i].assign(1, Value{0, {}});
  for (int t = 0; t < threads_max; ++t) {
    threads_[t] = {};
    threads_[t].now.clock[t] = 1;
  }
  fences_ = {};
}

int Memory::location_of(const void* address) {
  auto slot = static_cast<std::size_t>(static_cast<const char*>(address) - arena_) / 4;
  if (!contains(address) || (location_by_slot_[slot] < 0 && locations_ == locations_max)) {
    std::fprintf(stderr, "checker: an atomic outside the arena, or too many of them\n");
    std::abort();
  }
  if (location_by_slot_[slot] < 0) {
    location_by_slot_[slot] = static_cast<std::int16_t>(locations_);
    words_[locations_++].assign(1, Value{0, {}});
  }
  return location_by_slot_[slot];
}

bool Memory::adds_nothing(int location, int older, int newer) const {
  const Value& a = words_[location][older];
  const Value& b = words_[location][newer];
  return a.value == b.value && b.released.covers(a.released);
}

std::uint64_t Memory::read(int thread, int location, int index, std::memory_order order) {
  Thread& t = threads_[thread];
  const Value& value = words_[location][index];
  advance(thread, location, index);
  t.pending.join(value.released);
  if (acquires(order)) t.now.join(value.released);
  return value.value;
}

void Memory::append(int thread, int location, std::uint64_t value, Knowledge released) {
  Thread& t = threads_[thread];
  auto index = words_[location].size();
  if (index > 250) {
    std::fprintf(stderr, "checker: too many values in one word\n");
    std::abort();
  }
  t.now.seen[location] = static_cast<std::uint8_t>(index);
  released.seen[location] = static_cast<std::uint8_t>(index);
  words_[location].push_back({value, released});
}

void Memory::write(int thread, int location, std::uint64_t value, std::memory_order order) {
  Thread& t = threads_[thread];
  append(thread, location, value, releases(order) ? t.now : t.released);
  if (releases(order)) tick(thread);
}

void Memory::modify(int thread, int location, std::uint64_t value, std::memory_order order) {
  Thread& t = threads_[thread];
  read(thread, location, latest(location), order);
  Knowledge released = words_[location].back().released;
  released.join(releases(order) ? t.now : t.released);
  append(thread, location, value, released);
  if (releases(order)) tick(thread);
}

void Memory::advance(int thread, int location, int index) {
  auto& seen = threads_[thread].now.seen[location];
  seen = std::max(seen, static_cast<std::uint8_t>(index));
}

void Memory::full_fence(int thread) {
  Thread& t = threads_[thread];
  t.now.join(t.pending);
  t.now.join_seen(fences_);
  fences_.join_seen(t.now);
  t.released = t.now;
  tick(thread);
}

void Memory::full_fence_everywhere() {
  // Twice, so that everyone has seen what everyone had done.
  for (int round = 0; round < 2; ++round)
    for (int t = 0; t < threads_max; ++t) full_fence(t);
}

bool Memory::plain_read(int thread, const void* address, std::size_t bytes) {
  open_epoch(thread);
  const Knowledge& now = threads_[thread].now;
  auto start = static_cast<std::size_t>(static_cast<const char*>(address) - arena_);
  touched_bytes_ = std::max(touched_bytes_, start + bytes);
  bool ordered = true;
  for (std::size_t i = start; i < start + bytes; ++i) {
    Epochs& e = epochs_[i];
    ordered &= e.write_clock <= now.clock[e.writer];
    e.read_clock[thread] = now.clock[thread];
  }
  return ordered;
}

bool Memory::plain_write(int thread, const void* address, std::size_t bytes) {
  open_epoch(thread);
  const Knowledge& now = threads_[thread].now;
  auto start = static_cast<std::size_t>(static_cast<const char*>(address) - arena_);
  touched_bytes_ = std::max(touched_bytes_, start + bytes);
  bool ordered = true;
  for (std::size_t i = start; i < start + bytes; ++i) {
    Epochs& e = epochs_[i];
    ordered &= e.write_clock <= now.clock[e.writer];
    for (int t = 0; t < threads_max; ++t) ordered &= e.read_clock[t] <= now.clock[t];
    e.write_clock = now.clock[thread];
    e.writer = static_cast<std::uint16_t>(thread);
  }
  return ordered;
}

std::uint64_t Memory::relative_hash(const Knowledge& knowledge) const {
  std::uint64_t hash = 0, word = 0;
  for (int i = 0; i < locations_; ++i) {
    int above = knowledge.seen[i] > base_[i] ? knowledge.seen[i] - base_[i] : 0;
    word = word << 8 | static_cast<std::uint64_t>(above);
    if (i % 8 == 7) hash = mix(hash, word);
  }
  hash = mix(hash, word);
  std::memcpy(&word, knowledge.clock.data(), sizeof word);
  static_assert(sizeof knowledge.clock == sizeof word);
  return mix(hash, word);
}

std::uint64_t Memory::key(const bool (&alive)[threads_max]) {
  for (int i = 0; i < locations_; ++i) {
    int base = latest(i);
    for (int t = 0; t < threads_max; ++t)
      if (alive[t]) base = std::min(base, oldest(t, i));
    base_[i] = static_cast<std::uint8_t>(base);
  }
  std::uint64_t key = relative_hash(fences_);
  for (int i = 0; i < locations_; ++i) {
    for (int index = base_[i]; index <= latest(i); ++index) {
      const Value& value = words_[i][static_cast<std::size_t>(index)];
      key = mix(mix(key, value.value), relative_hash(value.released));
    }
    key = mix(key, 0);
  }
  for (int t = 0; t < threads_max; ++t) {
    if (!alive[t]) continue;
    const Thread& thread = threads_[t];
    key = mix(key, mix(relative_hash(thread.now), relative_hash(thread.pending)));
    key = mix(key, mix(relative_hash(thread.released), thread.released_lately));
  }
  return key;
}

}  // namespace baton::model
