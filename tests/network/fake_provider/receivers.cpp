#include "receivers.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "checksum.hpp"
#include "rule.hpp"

namespace fake {

bool Receivers::has_space() {
  return !resources_.chance.one_in(6) && posted_.size() < resources_.personality.receives_max;
}

void Receivers::post(void* buffer, std::size_t bytes, Region* region, void* context) {
  // It is the provider's now; what its user may have left there is gone.
  constexpr std::size_t scribbled_bytes_max = 256;
  Posted posted{static_cast<char*>(buffer), bytes, region, context, 0};
  const std::size_t scribbled = std::min(bytes, scribbled_bytes_max);
  std::memset(posted.buffer, static_cast<int>(resources_.chance.below(256)), scribbled);
  posted.checksum = checksum(posted.buffer, scribbled);
  if (region) ++region->uses;
  posted_.push_back(posted);
}

void Receivers::put_in_place(const ChunkHeader& header, const char* data, std::size_t bytes,
                             Arrival& arrival) {
  if (header.kind == Kind::message) {
    arrival.message.resize(header.whole);
    std::memcpy(arrival.message.data() + header.offset, data, bytes);
    return;
  }
  if (header.kind == Kind::read_data) return senders_.take_data(header, data, bytes);
  if (header.kind == Kind::read || header.kind == Kind::delivery) return;
  // The region has to be there when the first byte comes, and until the last one has come.
  Region& region =
      resources_.regions.remote(header.key, header.address, header.whole, FI_REMOTE_WRITE);
  if (arrival.region && arrival.region != &region) broken("a key changes its region under a write");
  if (!arrival.region) ++region.uses;
  arrival.region = &region;
  std::memcpy(resources_.regions.place(region, header.address) + header.offset, data, bytes);
}

void Receivers::finish(const ChunkHeader& header, Arrival& arrival) {
  if (arrival.region) --arrival.region->uses;
  if (header.kind == Kind::message) {
    sources_[header.from].whole[header.turn] = std::move(arrival.message);
  } else if (header.kind == Kind::delivered_write) {
    senders_.confirm(header.from, header.operation);
  } else if (header.kind == Kind::read) {
    Region& region =
        resources_.regions.remote(header.key, header.address, header.wanted, FI_REMOTE_READ);
    senders_.answer(header, region, resources_.regions.place(region, header.address));
  } else if (header.kind == Kind::delivery || header.kind == Kind::read_data) {
    senders_.end(header.answers);
  } else {
    Completion completion;
    completion.of_user = false;
    // Nobody's context: whoever looks into it finds nothing there.
    completion.context = reinterpret_cast<void*>(std::uintptr_t{1});
    completion.flags = FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
    completion.bytes = header.whole;
    completion.data = header.data;
    resources_.completions.add(std::move(completion));
  }
}

void Receivers::take(const Chunk& chunk, std::size_t bytes) {
  const std::pair id{chunk.header.from, chunk.header.operation};
  const auto [found, is_first] = arrivals_.try_emplace(id);
  Arrival& arrival = found->second;
  if (is_first) arrival.missing = chunk.header.whole;
  put_in_place(chunk.header, chunk.bytes, bytes, arrival);
  arrival.missing -= bytes;
  if (arrival.missing > 0) return;
  finish(chunk.header, arrival);
  arrivals_.erase(found);
}

std::vector<std::uint64_t> Receivers::ready_sources() const {
  std::vector<std::uint64_t> ready;
  for (const auto& [name, source] : sources_)
    if (source.whole.contains(source.turn)) ready.push_back(name);
  return ready;
}

void Receivers::deliver(std::uint64_t name, Source& source) {
  std::swap(posted_[resources_.chance.below(posted_.size())], posted_.back());
  const Posted posted = posted_.back();
  posted_.pop_back();
  constexpr std::size_t scribbled_bytes_max = 256;
  if (checksum(posted.buffer, std::min(posted.bytes, scribbled_bytes_max)) != posted.checksum)
    broken("the buffer of a receive was changed before a message came");
  const auto due = source.whole.find(source.turn);
  const std::vector<char>& message = due->second;
  const std::size_t taken = std::min(message.size(), posted.bytes);
  if (taken) std::memcpy(posted.buffer, message.data(), taken);
  Completion completion;
  completion.context = posted.context;
  completion.flags = FI_RECV | FI_MSG;
  completion.bytes = taken;
  completion.buffer = posted.buffer;
  completion.error = message.size() > posted.bytes ? FI_ETRUNC : 0;
  completion.parts = {{posted.buffer, taken}};
  completion.checksum = checksum(posted.buffer, taken);
  completion.regions = {posted.region};
  completion.from = name;
  completion.turn = source.turn++;
  senders_.note_heard(name);
  source.whole.erase(due);
  resources_.completions.add(std::move(completion));
}

void Receivers::progress() {
  Chunk chunk;
  std::size_t bytes = 0;
  for (std::size_t tries = resources_.chance.below(12); tries > 0; --tries) {
    if (!resources_.wire.receive(chunk, bytes)) break;
    take(chunk, bytes);
  }
  while (!posted_.empty() && !resources_.chance.one_in(4)) {
    const std::vector<std::uint64_t> ready = ready_sources();
    if (ready.empty()) return;
    const std::uint64_t name = ready[resources_.chance.below(ready.size())];
    deliver(name, sources_[name]);
  }
}

bool Receivers::can_deliver() const {
  return !posted_.empty() && !ready_sources().empty();
}

void Receivers::forget_all() {
  posted_.clear();
  arrivals_.clear();
  sources_.clear();
}

}  // namespace fake
