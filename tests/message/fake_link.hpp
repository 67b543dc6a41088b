// Links for tests of layer 6: ranks of one process, whose lines go through queues that the test can
// close and hold up. Everything else (rendezvous entries, adverts, staging) lies in a job's memory
// as ever.
#pragma once

#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <utility>
#include <vector>

#include "transport/link.hpp"

namespace baton::message {

inline constexpr std::uint32_t fake_ranks_max = 24;

// What two ranks know of each other's wishes.
struct FakeWishes {
  bool envelopes_only = false;
  bool adverts = false;
  std::uint64_t pulls = 0;
};

struct FakeLine {
  std::uint32_t sender;
  transport::Header header;
  transport::Envelope envelope;
  std::vector<char> payload;
};

struct FakeNetwork {
  std::array<std::deque<FakeLine>, fake_ranks_max> to;                        // whoever receives
  std::array<std::array<FakeWishes, fake_ranks_max>, fake_ranks_max> wishes;  // receiver, sender
  std::array<std::array<std::uint64_t, fake_ranks_max>, fake_ranks_max> sent{},
      taken{};               // from, to
  bool held = false;         // nothing arrives
  std::size_t space = 1000;  // lines on their way to one rank
  // What happens once, while the next line is being put; or empty.
  std::function<void()> at_put;
};

class FakeLink final : public transport::Link {
 public:
  FakeLink(FakeNetwork& network, Process from, Process to)
      : network_(network), from_(number_of(from)), to_(number_of(to)) {}
  Error begin() override {
    begun_ = true;
    return MPI_SUCCESS;
  }
  bool has_begun() const override { return begun_; }
  bool has_space(std::uint32_t) override { return network_.to[to_].size() < network_.space; }
  bool put(transport::Header header, transport::Envelope envelope, const void* payload,
           std::size_t bytes) override {
    if (auto happens = std::exchange(network_.at_put, nullptr)) happens();
    if (!has_space(1)) return false;
    auto* data = static_cast<const char*>(payload);
    network_.to[to_].push_back({from_, header, envelope, std::vector<char>(data, data + bytes)});
    ++network_.sent[from_][to_];
    return true;
  }
  bool envelopes_only() const override { return there().envelopes_only; }
  bool is_exclusive() const override { return begun_; }
  std::uint64_t sent_lines() const override { return network_.sent[from_][to_]; }
  bool has_taken(std::uint64_t lines) override { return network_.taken[from_][to_] >= lines; }
  bool has_adverts() const override { return there().adverts; }
  bool pull_wished(int kind) const override { return there().pulls >> kind & 1; }
  bool is_open() const override { return true; }
  void set_envelopes_only(bool on) override { here().envelopes_only = on; }
  void announce_adverts() override { here().adverts = true; }
  bool wishes_pulls() const override { return network_.wishes[from_][to_].pulls != 0; }
  void wish_pull(int kind, bool on) override {
    const std::uint64_t bit = std::uint64_t{1} << kind;
    here().pulls = on ? here().pulls | bit : here().pulls & ~bit;
  }

 private:
  const FakeWishes& there() const { return network_.wishes[to_][from_]; }
  FakeWishes& here() { return network_.wishes[from_][to_]; }
  FakeNetwork& network_;
  std::uint32_t from_, to_;
  bool begun_ = false;
};

class FakeInbox final : public transport::Inbox {
 public:
  FakeInbox(FakeNetwork& network, std::uint32_t rank) : network_(network), rank_(rank) {}
  transport::Header peek() override {
    if (network_.held || queue().empty()) return {0};
    return {queue().front().header.bits | 1};  // a lap: something is there
  }
  Process sender() const override { return static_cast<Process>(queue().front().sender); }
  transport::Envelope envelope() const override { return queue().front().envelope; }
  void read(void* target, std::size_t wanted) const override {
    std::memcpy(target, queue().front().payload.data(), wanted);
  }
  void take(void* target, std::size_t wanted, std::size_t) override {
    if (wanted > 0) read(target, wanted);
    ++network_.taken[queue().front().sender][rank_];
    queue().pop_front();
  }
  void set_envelopes_only(bool on) override {
    for (FakeWishes& wishes : network_.wishes[rank_]) wishes.envelopes_only = on;
  }

 private:
  std::deque<FakeLine>& queue() const { return network_.to[rank_]; }
  FakeNetwork& network_;
  std::uint32_t rank_;
};

}  // namespace baton::message
