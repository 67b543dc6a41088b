// Sums over the rooms of all the job's ranks: how many there are, and how much memory is kept for
// the next ones. They are used by room.cpp. Each change is one atomic operation; nothing is ordered
// by it.
#pragma once

#include <atomic>
#include <cstdint>

#include "transport/node.hpp"

namespace baton::world {

struct RoomAccount {
  // Keeps memory. Returns false, with nothing kept, where it would be too much.
  [[nodiscard]] static bool keep(std::uint64_t bytes) {
    const std::uint64_t limit = lockfree::room_pool_kept_bytes(transport::rank_count());
    // relaxed, here and below: only the sums matter.
    if (kept().fetch_add(bytes, std::memory_order_relaxed) + bytes <= limit) return true;
    use_kept(bytes);
    return false;
  }
  static void use_kept(std::uint64_t bytes) {
    kept().fetch_sub(bytes, std::memory_order_relaxed);  // relaxed: as above
  }
  static void count_room(bool opened) {
    const std::uint64_t change = opened ? 1 : ~std::uint64_t{0};
    // relaxed: as above.
    std::atomic_ref(transport::job().rooms.rooms).fetch_add(change, std::memory_order_relaxed);
  }
  static std::uint64_t rooms() {
    // relaxed: as above.
    return std::atomic_ref(transport::job().rooms.rooms).load(std::memory_order_relaxed);
  }

 private:
  static std::atomic_ref<std::uint64_t> kept() {
    return std::atomic_ref(transport::job().rooms.kept_bytes);
  }
};

}  // namespace baton::world
