// Windows of ranks that one process plays (tests/message/ranks.hpp): each rank with its memory, its
// row and what it knows of the others. Which reach a target has is up to the test. While rank 0
// waits, the others make progress; a wait that never ends is ended by the test's time limit.
#pragma once

#include <functional>

#include "tests/message/ranks.hpp"
#include "window/gather.hpp"
#include "window/one_sided.hpp"
#include "window/reach.hpp"
#include "window/remote_target.hpp"
#include "window/transfer_target.hpp"
#include "world/communicator.hpp"

namespace baton::window {

// Whether all other ranks have come to what meets them; else no test may meet them.
extern bool the_others_meet;

inline const Datatype& type_of(MPI_Datatype handle) {
  return *datatype::datatypes.find(handle);
}
inline const Operation& operation_of(MPI_Op handle) {
  return *datatype::operations.find(handle);
}

class Windows {
 public:
  static constexpr std::int64_t bytes = 1 << 20;
  static constexpr std::uint32_t count = 2;

  Windows(message::Ranks& of, OneSided* states) : ranks_(of), waits_(*this) {
    of.exchange_above = [=](std::uint32_t rank) {
      message::exchange_bytes(one_sided, states[rank]);
    };
    message::Ranks::byte();
    static const bool made = (datatype::make_predefined_operations(), true);
    (void)made;
    for (std::uint32_t rank = 0; rank < count; ++rank) make(rank);
    serve_messages();
    for (std::uint32_t rank = 0; rank < count; ++rank)
      ranks_.as(rank, [&] { one_sided.listeners.add(window(rank)); });
    ranks_.as(0, [&] { set_active(waits_, true); });
  }
  ~Windows() {
    ranks_.as(0, [&] { set_active(waits_, false); });
    for (std::uint32_t rank = 0; rank < count; ++rank)
      ranks_.as(rank, [&] { await_accepted(window(rank)); });
    for (std::uint32_t rank = 0; rank < count; ++rank)
      ranks_.as(rank, [&] { one_sided.listeners.remove(window(rank)); });
    for (Side& side : sides_) {
      forget_gathered(side.window);
      std::free(side.row);
      std::free(side.comm.local);
    }
  }

  Window& window(std::uint32_t rank = 0) { return sides_[rank].window; }
  // What rank 0 knows of rank 1.
  Target& target() { return sides_[0].targets[1]; }
  char* memory(std::uint32_t rank = 1) { return sides_[rank].memory.data(); }
  Row& row(std::uint32_t rank = 1) { return *sides_[rank].row; }
  // The spot at an offset in the target's memory.
  Spot spot(std::int64_t offset) {
    Target& there = target();
    return {&there, there.mapped ? there.memory + offset : nullptr,
            there.address + static_cast<std::uint64_t>(offset)};
  }

  // Lets rank 0 reach rank 1 in one of the ways.
  void use(const Reach& reach) {
    target().reach = &reach;
    target().mapped = &reach == &mapped_reach;
    target().memory = target().mapped ? memory() : nullptr;
    window().sends = reach.is_remote();
  }

  // Lets rank 1 know of a put of rank 0, whose data comes as a message with `tag_of(number,
  // false)`.
  void announce_put(std::uint32_t number, std::uint64_t length) {
    Announcement announcement{};
    announcement.header.number = number;
    announcement.range = {reinterpret_cast<std::uint64_t>(memory()), length};
    announcement.window = &window(1);
    ranks_.as(1, [&] { (void)one_sided.accepted.receive_put(announcement, false); });
  }
  std::uint32_t transfers_begun() {
    return ranks_.as(0, [] { return one_sided.begun.count(); });
  }

  // What rank 1 does once, when rank 0 has waited for a while.
  std::function<void()> meanwhile;

  // --- operations of rank 0 at rank 1
  Error put(const void* from, std::int64_t elements, MPI_Datatype type, std::int64_t offset) {
    return ranks_.as(0, [&] {
      const Data data{const_cast<void*>(from), elements, &type_of(type)};
      return reach_of(spot(offset)).put(window(), spot(offset), data, place(elements, type));
    });
  }
  Error get(void* to, std::int64_t elements, MPI_Datatype type, std::int64_t offset) {
    return ranks_.as(0, [&] {
      const Data data{to, elements, &type_of(type)};
      return reach_of(spot(offset)).get(window(), spot(offset), data, place(elements, type));
    });
  }
  Error change(MPI_Op operation, const void* from, void* result, std::int64_t elements,
               MPI_Datatype type, std::int64_t offset) {
    return ranks_.as(0, [&] {
      const Data in{const_cast<void*>(from), elements, &type_of(type)};
      const Data old{result, elements, &type_of(type)};
      Elements described;
      EXPECT_EQ(describe(operation_of(operation), type_of(type), &described), MPI_SUCCESS);
      return reach_of(spot(offset))
          .change(window(), spot(offset),
                  {operation_of(operation), described, from ? &in : nullptr,
                   result ? &old : nullptr, place(elements, type)});
    });
  }
  Error swap(const void* from, const void* expected, void* result, MPI_Datatype type,
             std::int64_t offset) {
    return ranks_.as(0, [&] {
      return reach_of(spot(offset))
          .swap(window(), spot(offset), type_of(type), from, expected, result);
    });
  }
  Error flush() {
    return ranks_.as(0, [&] { return target().reach->flush(window(), target()); });
  }

 private:
  struct Side {
    world::Communicator comm;
    Window window;
    Target targets[count];
    std::int32_t accessed[count] = {};
    std::vector<char> memory = std::vector<char>(bytes);
    Row* row = nullptr;
  };
  // The other rank goes on while rank 0 waits.
  struct Waits final : message::ProgressSource {
    explicit Waits(Windows& of) : windows(of) {}
    bool advance() override {
      if (windows.ranks_.step(1)) return true;
      if (!windows.meanwhile || ++idle < 10) return false;
      windows.ranks_.as(1, std::exchange(windows.meanwhile, nullptr));
      return true;
    }
    Windows& windows;
    int idle = 0;
  };

  static Place place(std::int64_t elements, MPI_Datatype type) {
    return {1, 0, elements, &type_of(type)};
  }
  void make(std::uint32_t rank) {
    Side& side = sides_[rank];
    const std::size_t row_bytes = lockfree::WindowRowLayout(count).bytes;
    side.row = static_cast<Row*>(std::aligned_alloc(64, (row_bytes + 63) / 64 * 64));
    std::memset(static_cast<void*>(side.row), 0, row_bytes);
    side.comm.id = message::Ranks::context_id;
    side.comm.point_to_point = ranks_.as(rank, [&] { return ranks_.context(rank); });
    side.comm.local = world::new_group(count);
    side.comm.local->rank = static_cast<std::int32_t>(rank);
    Window& window = side.window;
    window.comm = &side.comm;
    window.targets = side.targets;
    window.accessed = side.accessed;
    window.base = side.memory.data();
    window.size = bytes;
    window.row = side.row;
    for (std::uint32_t other = 0; other < count; ++other) {
      side.comm.local->processes[other] = static_cast<Process>(other);
      Target& target = side.targets[other];
      target.bytes = bytes;
      target.process = static_cast<Process>(other);
      target.local_rank = ranks_.as(rank, [&] { return transport::local_rank_of(target.process); });
      target.owner = static_cast<std::int32_t>(other);
    }
    // (Rank 1 is made last.)
    for (Side& one : sides_)
      for (std::uint32_t other = 0; other <= rank; ++other) {
        one.targets[other].address = reinterpret_cast<std::uint64_t>(sides_[other].memory.data());
        one.targets[other].row = sides_[other].row;
      }
    side.targets[rank].memory = side.memory.data();
    side.targets[rank].mapped = true;
    side.targets[rank].reach = &mapped_reach;
  }

  message::Ranks& ranks_;
  Waits waits_;
  Side sides_[count];
};

struct windows_test : testing::Test {
  explicit windows_test(message::Ranks::Nodes nodes = message::Ranks::Nodes::one,
                        std::uint64_t heap_bytes = 0)
      : ranks(Windows::count, nodes, message::Lines::fake, heap_bytes), windows(ranks, states) {}
  message::Ways defaults;
  OneSided states[Windows::count];  // of the ranks, who need them to the end
  message::Ranks ranks;
  Windows windows;
};

}  // namespace baton::window
