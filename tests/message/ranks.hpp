// Several ranks in one process, each with an engine of its own, so that a test can play both sides
// of a message step by step: `as(rank, ...)` does something as one of them, also within such a call
// of another. Their lines go over fake links, all else through a job's memory. One thread only.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#include "base/settings.hpp"
#include "fake_link.hpp"
#include "lockfree/job.hpp"
#include "message/core/account.hpp"
#include "message/core/attend.hpp"
#include "message/core/engine.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/progress.hpp"
#include "message/core/queues.hpp"
#include "message/node/node_protocol.hpp"
#include "message/start.hpp"
#include "platform/memory_file.hpp"
#include "tests/message/pattern.hpp"
#include "transport/move/reach.hpp"
#include "transport/network/network.hpp"

namespace baton::message {

// A layer's state is one object, so that another can stand in its place: nobody is inside
// meanwhile.
template <class State>
void exchange_bytes(State& one, State& other) {
  alignas(State) static char between[sizeof(State)];
  std::memcpy(between, static_cast<void*>(&one), sizeof(State));
  std::memcpy(static_cast<void*>(&one), static_cast<void*>(&other), sizeof(State));
  std::memcpy(static_cast<void*>(&other), between, sizeof(State));
}

// The protocol of the peers of this node.
inline NodeProtocol& node() {
  return static_cast<NodeProtocol&>(*engine.protocols[static_cast<int>(PeerKind::node)]);
}

// What carries the lines: the test's queues, or the lanes of the job's memory.
enum class Lines { fake, lanes };

class Ranks {
 public:
  static constexpr std::uint32_t context_id = 8;

  // Does something as one of the ranks.
  template <class Do>
  auto as(std::uint32_t rank, Do what) {
    struct Turn {
      Ranks& ranks;
      std::uint32_t rank;
      Turn(Ranks& of, std::uint32_t whose) : ranks(of), rank(whose) { change(); }
      ~Turn() { change(); }
      void change() {
        Side& side = *ranks.sides_[rank];
        if (ranks.exchange_above) ranks.exchange_above(rank);
        exchange_bytes(engine, side.engine);
        std::swap(attendance, side.attendance);
        std::swap(transport::job_arena, side.arena);
        std::swap(transport::network::own_network, side.network);
      }
    } turn(*this, rank);
    return what();
  }

  // Of one node; or each of a node of its own, so that messages go over the network.
  enum class Nodes : std::uint8_t { one, each };
  // Each rank may have an exported heap of so many bytes, but one alone may use its own: where that
  // lies is the process's.
  explicit Ranks(std::uint32_t count, Nodes nodes = Nodes::one, Lines lines = Lines::fake,
                 std::uint64_t heap_bytes = 0)
      : count_(count), nodes_(nodes), lines_(lines) {
    lockfree::WorldPlan world;
    if (nodes == Nodes::each) world = {.processes = count, .nodes = count, .key = {1, 2}};
    lockfree::JobHeader header = lockfree::job_header(count, count, {}, world);
    header.heap_bytes = heap_bytes;
    file_ = platform::make_memory_file(
        "test", heap_bytes ? header.heaps_offset + count * heap_bytes : header.file_bytes);
    EXPECT_GE(file_, 0);
    EXPECT_EQ(pwrite(file_, &header, sizeof header, 0), ssize_t{sizeof header});
    if (nodes == Nodes::each) enter_processes(header);
    for (std::uint32_t rank = 0; rank < count; ++rank) start(rank);
  }
  Ranks(std::uint32_t count, Lines lines) : Ranks(count, Nodes::one, lines) {}
  ~Ranks() {
    if (nodes_ == Nodes::each) let_all_leave();
    for (std::uint32_t rank = 0; rank < count_; ++rank)
      as(rank, [] {
        stop_messages();
        transport::detach_arena();
      });
    close(file_);
  }

  void send(std::uint32_t from, std::uint32_t to, const void* buffer, std::int64_t bytes, int tag,
            Request& request, bool synchronous = false) {
    as(from, [&] {
      begin_send(context(from), buffer, bytes, byte(), static_cast<int>(to), tag, synchronous,
                 request);
    });
  }
  void receive(std::uint32_t at, int source, void* buffer, std::int64_t bytes, int tag,
               Request& request) {
    as(at, [&] { begin_receive(context(at), buffer, bytes, byte(), source, tag, request); });
  }
  void cancel(std::uint32_t rank, Request& request) {
    as(rank, [&] { message::cancel(request); });
  }
  // One round of progress at a rank; whether anything happened.
  bool step(std::uint32_t rank) {
    return as(rank, [] { return progress_alone(); });
  }
  // Rounds at all ranks until nothing happens any more.
  void settle() {
    for (int round = 0; round < 10000; ++round) {
      bool any = false;
      for (std::uint32_t rank = 0; rank < count_; ++rank) any |= step(rank);
      if (!any) return;
    }
    ADD_FAILURE() << "still at work after 10000 rounds";
  }
  // Messages of a rank that went, or came, by a way.
  std::uint64_t messages(std::uint32_t rank, Way way) {
    return as(rank, [&] {
      auto record = std::make_unique<TrafficRecord>();
      sum_up(*record);
      std::uint64_t sum = 0;
      for (auto& peer_class : record->tally)
        for (const Tally& tally : peer_class[static_cast<int>(way)]) sum += tally.messages;
      return sum;
    });
  }
  std::uint64_t unexpected(std::uint32_t rank) {
    return as(rank, [] { return engine.counters.unexpected; });
  }

  static Datatype& byte() {
    static const bool made = (datatype::make_predefined_datatypes(), true);
    (void)made;
    return *datatype::datatypes.find(MPI_BYTE);
  }
  // Of all ranks, as one of them, who asks.
  Context context(std::uint32_t rank) {
    Context context;
    context.send_id = context.receive_id = context_id;
    context.rank = static_cast<std::int32_t>(rank);
    context.size = static_cast<std::int32_t>(count_);
    context.queue = queue_for(context_id);
    context.owner = this;  // stands for the communicator
    return context;
  }

  FakeNetwork network;
  // Lets the state of layers above change with the rank, or is empty.
  std::function<void(std::uint32_t rank)> exchange_above;

 private:
  struct Side {
    Engine engine;
    Attendance attendance;
    transport::Arena arena;
    transport::network::Network own_network;
    transport::network::Network* network = &own_network;
  };

  // Packets that have not left use memory of their network, which is closed.
  void let_all_leave() {
    for (int look = 0; look < 1000000; ++look) {
      bool all = true;
      for (std::uint32_t rank = 0; rank < count_; ++rank)
        all &= as(rank, [] { return progress_alone(), all_have_left(); });
      if (all) return;
    }
    ADD_FAILURE() << "packets have not left after 1000000 looks";
  }
  // Where mpiexec would have entered them.
  void enter_processes(const lockfree::JobHeader& header) {
    for (std::uint32_t rank = 0; rank < count_; ++rank) {
      lockfree::ProcessEntry entry{};
      entry.local_rank = rank;
      entry.place.node = static_cast<std::int32_t>(rank);
      const auto at = header.processes_offset + rank * sizeof entry;
      EXPECT_EQ(pwrite(file_, &entry, sizeof entry, static_cast<off_t>(at)), ssize_t{sizeof entry});
      lockfree::RankRow row{};
      row.launcher.process = rank;
      row.launcher.place = entry.place;
      const auto row_at = header.rows_offset + rank * sizeof row;
      EXPECT_EQ(pwrite(file_, &row, sizeof row, static_cast<off_t>(row_at)), ssize_t{sizeof row});
    }
  }
  void start(std::uint32_t rank) {
    sides_[rank] = std::make_unique<Side>();
    as(rank, [&] {
      EXPECT_EQ(transport::attach(dup(file_), static_cast<LocalRank>(rank)), MPI_SUCCESS);
      transport::let_others_copy();
      EXPECT_EQ(start_messages(), MPI_SUCCESS) << last_explanation().text;
      if (lines_ == Lines::lanes) return;
      under_test = this;
      if (nodes_ == Nodes::each) return;
      node().use_inbox(new FakeInbox(network, rank));
      node().make_link = [](transport::Slot to, transport::LineSender&,
                            transport::LineReceiver&) -> transport::Link* {
        return new FakeLink(under_test->network, engine.self, transport::process_at(to));
      };
    });
  }

  static inline Ranks* under_test = nullptr;
  std::uint32_t count_;
  Nodes nodes_;
  Lines lines_;
  int file_;
  std::unique_ptr<Side> sides_[fake_ranks_max];
};

inline constexpr std::int64_t long_bytes = 3 << 20;

// Which ways are open is the settings' affair; they are read when an engine starts.
struct Ways {
  Ways() { settings = Settings{}; }
  ~Ways() { settings = Settings{}; }
};
struct protocol : testing::Test {
  Ways defaults;
  Request sending, receiving;
};

}  // namespace baton::message
