#include "senders.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>

#include "checksum.hpp"
#include "rule.hpp"

namespace fake {

namespace {

// Bytes of an operation from one place in it on, out of its parts.
void gather(const std::vector<iovec>& parts, std::uint64_t offset, std::size_t bytes,
            char* target) {
  for (const iovec& part : parts) {
    if (offset >= part.iov_len) {
      offset -= part.iov_len;
      continue;
    }
    const std::size_t taken = std::min<std::size_t>(bytes, part.iov_len - offset);
    std::memcpy(target, static_cast<const char*>(part.iov_base) + offset, taken);
    target += taken;
    bytes -= taken;
    offset = 0;
    if (bytes == 0) return;
  }
}

std::uint64_t sum_of(const std::vector<iovec>& parts) {
  std::uint64_t sum = 0;
  for (const iovec& part : parts) sum = checksum(part.iov_base, part.iov_len, sum);
  return sum;
}

}  // namespace

bool Senders::has_space() {
  return !resources_.chance.one_in(6) &&
         all_.size() + awaiting_.size() < resources_.personality.operations_max;
}

void Senders::begin(std::unique_ptr<Outgoing> outgoing) {
  Completion& completion = outgoing->completion;
  ChunkHeader& header = outgoing->header;
  // What a peer reads may be changed meanwhile.
  if (header.kind != Kind::read_data) completion.checksum = sum_of(completion.parts);
  for (Region* region : completion.regions)
    if (region) ++region->uses;
  header.whole = 0;
  for (const iovec& part : completion.parts) header.whole += part.iov_len;
  header.from = resources_.wire.name();
  header.operation = begun_++;
  if (header.kind == Kind::message) {
    std::uint64_t& turn = turns_[outgoing->to];
    header.turn = turn;
    const bool may_be_lost = resources_.personality.crossing && !heard_.contains(outgoing->to);
    // Without chunks it is told to have left, and takes nobody's turn.
    if (may_be_lost && resources_.chance.one_in(2)) return all_.push_back(std::move(outgoing));
    ++turn;
  }
  // Up to some dozens of chunks; of nothing one.
  const std::size_t most = std::min(
      chunk_bytes_max, header.whole / 8 + 1 + resources_.chance.below(header.whole / 2 + 1));
  std::uint64_t offset = 0;
  do {
    const std::size_t bytes = std::min<std::size_t>(most, header.whole - offset);
    outgoing->left.emplace_back(offset, bytes);
    offset += bytes;
  } while (offset < header.whole);
  all_.push_back(std::move(outgoing));
}

void Senders::send(std::uint64_t to, ChunkHeader header, Completion completion) {
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = to;
  outgoing->header = header;
  outgoing->completion = std::move(completion);
  begin(std::move(outgoing));
}

// What is asked for has no data yet: the completion waits from the start.
void Senders::read(std::uint64_t to, ChunkHeader header, Completion completion) {
  for (Region* region : completion.regions)
    if (region) ++region->uses;
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = to;
  outgoing->header = header;
  awaiting_[begun_] = std::move(completion);
  begin(std::move(outgoing));
}

void Senders::confirm(std::uint64_t to, std::uint64_t operation) {
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = to;
  outgoing->header.kind = Kind::delivery;
  outgoing->header.answers = operation;
  begin(std::move(outgoing));
}

void Senders::answer(const ChunkHeader& asked, Region& region, char* data) {
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = asked.from;
  outgoing->header.kind = Kind::read_data;
  outgoing->header.answers = asked.operation;
  outgoing->completion.parts = {{data, asked.wanted}};
  outgoing->completion.regions = {&region};
  begin(std::move(outgoing));
}

void Senders::take_data(const ChunkHeader& header, const char* data, std::size_t bytes) {
  const auto found = awaiting_.find(header.answers);
  if (found == awaiting_.end()) broken("the provider lost a read");
  std::memcpy(static_cast<char*>(found->second.parts[0].iov_base) + header.offset, data, bytes);
}

void Senders::end(std::uint64_t operation) {
  const auto found = awaiting_.find(operation);
  if (found == awaiting_.end()) broken("the provider lost a write or a read");
  Completion completion = std::move(found->second);
  awaiting_.erase(found);
  if (completion.flags & FI_READ) completion.checksum = sum_of(completion.parts);
  resources_.completions.add(std::move(completion));
}

void Senders::inject(std::uint64_t to, ChunkHeader header, const void* data, std::size_t bytes) {
  auto outgoing = std::make_unique<Outgoing>();
  outgoing->to = to;
  outgoing->header = header;
  outgoing->copy.assign(static_cast<const char*>(data), static_cast<const char*>(data) + bytes);
  outgoing->completion.parts = {{outgoing->copy.data(), bytes}};
  begin(std::move(outgoing));
}

bool Senders::waits(const Outgoing& outgoing) const {
  if (outgoing.header.kind != Kind::message) return false;
  return std::any_of(all_.begin(), all_.end(), [&](const auto& other) {
    return other->header.kind == Kind::message && other->to == outgoing.to &&
           other->header.turn < outgoing.header.turn;
  });
}

void Senders::fail(std::uint64_t operation, int error) {
  Completion& completion = awaiting_[operation];
  completion.error = error;
  end(operation);
}

void Senders::finish(std::size_t index, int error) {
  std::swap(all_[index], all_.back());
  const std::unique_ptr<Outgoing> outgoing = std::move(all_.back());
  all_.pop_back();
  Completion& completion = outgoing->completion;
  const Kind kind = outgoing->header.kind;
  if (kind == Kind::read_data) {
    --completion.regions[0]->uses;
    return;
  }
  if (kind == Kind::delivery) return;
  if (kind == Kind::read) return error ? fail(outgoing->header.operation, error) : void();
  if (sum_of(completion.parts) != completion.checksum)
    broken("the data of %s was changed before it had left",
           kind == Kind::message ? "a send" : "a write");
  if (kind == Kind::delivered_write) {
    awaiting_[outgoing->header.operation] = std::move(completion);
    return error ? fail(outgoing->header.operation, error) : void();
  }
  completion.error = error;
  // Of what was injected only a failure is told, with nobody's context.
  if (completion.context || error) {
    if (!completion.context) completion.parts.clear();
    resources_.completions.add(std::move(completion));
  }
}

void Senders::progress() {
  Chunk chunk;
  for (std::size_t tries = resources_.chance.below(10); tries > 0 && !all_.empty(); --tries) {
    const std::size_t index = resources_.chance.below(all_.size());
    Outgoing& outgoing = *all_[index];
    auto& left = outgoing.left;
    if (left.empty()) {
      if (!waits(outgoing)) finish(index, 0);
      continue;
    }
    std::swap(left[resources_.chance.below(left.size())], left.back());
    const auto [offset, bytes] = left.back();
    chunk.header = outgoing.header;
    chunk.header.offset = offset;
    gather(outgoing.completion.parts, offset, bytes, chunk.bytes);
    const int code = resources_.wire.send(outgoing.to, chunk, bytes);
    if (code == -FI_EAGAIN) continue;
    left.pop_back();
    if (code != 0 || (left.empty() && !waits(outgoing))) finish(index, -code);
  }
}

void Senders::forget_all() {
  for (const auto& outgoing : all_)
    if (outgoing->completion.context)
      broken("the endpoint is closed while a send or write of %llu bytes is under way",
             static_cast<unsigned long long>(outgoing->header.whole));
  if (!awaiting_.empty()) broken("the endpoint is closed while a remote access is under way");
  all_.clear();
  heard_.clear();
}

}  // namespace fake
