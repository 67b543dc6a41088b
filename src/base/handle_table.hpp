// A handle names an object. The ABI makes it an opaque pointer; ours is never an address, it is
//   bits 63..32 generation (never 0) | bit 31 zero | bits 30..27 tag | bits 26..0 slot index
// so that a freed, foreign or invented value is found out whatever its bits are. Values below
// 0x1000 are the ABI's predefined handles and have a small array of their own. Layers 4 to 10
// use it. Invariant: a slot never moves once it exists, so `find` needs no lock; `add` and `remove`
// are serialized by the table's own lock, which is taken only under MPI_THREAD_MULTIPLE, or always
// for the kinds that the standard lets any thread make at any time.
#pragma once

#include <mpi.h>

#include <sched.h>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/cache_line.hpp"
#include "base/handle_tag.hpp"

namespace baton {

// This is set when MPI_THREAD_MULTIPLE is granted, before a second thread may call.
inline bool handle_tables_are_shared = false;

// A table has the handles of one kind. A global table is constant-initialized and never destroyed:
// it works before the first constructor and after the last destructor.
template <typename T, HandleTag tag>
class HandleTable {
 public:
  using Traits = HandleTraits<tag>;
  using Handle = typename Traits::Handle;

  // Returns the handle's object; null when it is MPI_X_NULL, freed, of another kind or invented.
  BATON_INLINE T* find(Handle handle) const {
    std::uint64_t bits = reinterpret_cast<std::uint64_t>(handle);
    if (bits < predefined_end) {
      std::uint64_t offset = bits - Traits::predefined_first;
      return offset < Traits::predefined_count ? predefined_[offset] : nullptr;
    }
    const Slot* slot = slot_of(static_cast<std::uint32_t>(bits));
    if (BATON_UNLIKELY(!slot)) return nullptr;
    if (slot->generation.load(std::memory_order_relaxed) != bits >> 32) return nullptr;
    // ORDER handle.publish: release in `add`; the object is complete for whoever holds its handle.
    return slot->object.load(std::memory_order_acquire);
  }

  // Gives `object` a handle. Null when memory is short; the table is then as before.
  [[nodiscard]] Handle add(T* object) {
    Guard guard(lock_);
    if (free_ == no_slot && !grow()) return nullptr;
    std::uint32_t index = free_;
    Slot& slot = *slot_at(index);
    free_ = slot.next_free;
    // ORDER handle.publish: acquire in `find`.
    slot.object.store(object, std::memory_order_release);
    ++live_;
    return compose(slot.generation.load(std::memory_order_relaxed), index);
  }

  // Ends the life of a handle that `add` gave; from now on it is not found. Returns the object, or
  // null when the handle was not alive.
  T* remove(Handle handle) {
    std::uint64_t bits = reinterpret_cast<std::uint64_t>(handle);
    if (bits < predefined_end) return nullptr;
    Guard guard(lock_);
    Slot* slot = const_cast<Slot*>(slot_of(static_cast<std::uint32_t>(bits)));
    if (!slot) return nullptr;
    std::uint32_t generation = slot->generation.load(std::memory_order_relaxed);
    if (generation != bits >> 32) return nullptr;
    T* object = slot->object.load(std::memory_order_relaxed);
    if (!object) return nullptr;
    slot->object.store(nullptr, std::memory_order_relaxed);
    // Generation 0 belongs to the predefined handles and to failed conversions.
    slot->generation.store(generation + 1 ? generation + 1 : 1, std::memory_order_relaxed);
    slot->next_free = free_;
    free_ = static_cast<std::uint32_t>(bits) & index_mask;
    --live_;
    return object;
  }

  // Returns a new handle for an object that stays in its slot; its former handle is not found any
  // more. It takes no lock, since only the object's owner calls it.
  Handle renew(Handle handle) {
    std::uint64_t bits = reinterpret_cast<std::uint64_t>(handle);
    std::uint32_t index = static_cast<std::uint32_t>(bits) & index_mask;
    std::uint32_t generation = static_cast<std::uint32_t>(bits >> 32) + 1;
    generation += generation == 0;
    // relaxed: as in `remove`.
    slot_at(index)->generation.store(generation, std::memory_order_relaxed);
    return compose(generation, index);
  }

  // Puts an object behind one of the ABI's predefined values (null takes it away).
  void set_predefined(Handle handle, T* object) {
    predefined_[reinterpret_cast<std::uint64_t>(handle) - Traits::predefined_first] = object;
  }

  // Returns the MPI_X_toint form: never negative, and the ABI's value for predefined handles.
  static int to_int(Handle handle) {
    return static_cast<int>(reinterpret_cast<std::uint64_t>(handle) & 0x7fffffff);
  }

  // Returns the handle whose to_int is `value`. For a value that no live handle has, it is a handle
  // that `find` refuses.
  Handle from_int(int value) const {
    std::uint32_t low = static_cast<std::uint32_t>(value);
    const Slot* slot = low < predefined_end ? nullptr : slot_of(low);
    std::uint64_t generation = slot && slot->object.load(std::memory_order_relaxed)
                                   ? slot->generation.load(std::memory_order_relaxed)
                                   : 0;
    return reinterpret_cast<Handle>(generation << 32 | low);
  }

  // Returns how many handles live, without predefined ones. Leak reports and tests use it.
  std::uint32_t live() const { return live_; }

  // Calls visit(handle, object) for every live handle; `visit` may remove the handle it is given.
  template <typename Visit>
  void for_each(Visit visit) {
    std::uint32_t capacity = capacity_.load(std::memory_order_relaxed);
    for (std::uint32_t index = 0; index < capacity; ++index) {
      Slot& slot = *slot_at(index);
      if (T* object = slot.object.load(std::memory_order_relaxed))
        visit(compose(slot.generation.load(std::memory_order_relaxed), index), object);
    }
  }

 private:
  static constexpr std::uint64_t predefined_end = 0x1000;
  static constexpr int tag_shift = 27;
  static constexpr std::uint32_t index_mask = (1u << tag_shift) - 1;
  static constexpr std::uint32_t no_slot = ~0u;
  // A slot's place is its index plus 64. Places of equal bit width form a block: the first has 64,
  // each further one as many as all before it and the 64 places that do not exist. Small programs
  // pay for one KiB, and nothing is ever copied.
  static constexpr std::uint32_t first_block_slots = 64;
  static constexpr int first_width = std::bit_width(first_block_slots);

  struct Slot {
    std::atomic<T*> object;
    std::atomic<std::uint32_t> generation;
    std::uint32_t next_free;
  };
  static_assert(sizeof(Slot) == 16);

  static constexpr bool always_shared = tag == HandleTag::info || tag == HandleTag::errhandler ||
                                        tag == HandleTag::session ||
                                        tag >= HandleTag::control_variable;

  struct Guard {
    explicit Guard(std::atomic<bool>& its_lock)
        : lock(its_lock), taken(always_shared || handle_tables_are_shared) {
      // ORDER handle.lock: acquire here, release in the destructor; slots and the free list. Held
      // for a few instructions, so a waiter only leaves the CPU to the holder.
      while (BATON_UNLIKELY(taken) && lock.exchange(true, std::memory_order_acquire)) sched_yield();
    }
    ~Guard() {
      // ORDER handle.lock: release here, acquire in the constructor.
      if (BATON_UNLIKELY(taken)) lock.store(false, std::memory_order_release);
    }
    std::atomic<bool>& lock;
    bool taken;
  };

  BATON_INLINE Slot* slot_at(std::uint32_t index) const {
    std::uint32_t place = index + first_block_slots;
    int width = std::bit_width(place);
    return blocks_[width] + (place ^ 1u << (width - 1));
  }

  BATON_INLINE const Slot* slot_of(std::uint32_t low) const {
    // A foreign tag, or bit 31, gives an index beyond any capacity: one comparison finds all.
    std::uint32_t index = low - (static_cast<std::uint32_t>(tag) << tag_shift);
    // ORDER handle.grow: release in `grow`; the block below this capacity exists.
    const bool exists = index < capacity_.load(std::memory_order_acquire);
    if (BATON_LIKELY(exists && index < first_block_slots)) return &blocks_[first_width][index];
    return exists ? slot_at(index) : nullptr;
  }

  static Handle compose(std::uint32_t generation, std::uint32_t index) {
    std::uint32_t low = static_cast<std::uint32_t>(tag) << tag_shift | index;
    return reinterpret_cast<Handle>(std::uint64_t{generation} << 32 | low);
  }

  BATON_COLD bool grow() {
    std::uint32_t first = capacity_.load(std::memory_order_relaxed);
    // This size makes the places of the new block one power of two.
    std::uint32_t slots = first + first_block_slots;
    if (slots > index_mask - first) return false;
    void* memory = std::malloc(slots * sizeof(Slot));
    if (!memory) return false;
    Slot* fresh = static_cast<Slot*>(memory);
    for (std::uint32_t i = 0; i < slots; ++i)
      new (&fresh[i]) Slot{nullptr, 1, i + 1 < slots ? first + i + 1 : no_slot};
    blocks_[std::bit_width(slots)] = fresh;
    free_ = first;
    // ORDER handle.grow: acquire in `slot_of`.
    capacity_.store(first + slots, std::memory_order_release);
    return true;
  }

  T* predefined_[Traits::predefined_count] = {};
  // The index is the bit width of a block's places: 33 widths, of which only some exist.
  Slot* blocks_[33] = {};
  std::atomic<std::uint32_t> capacity_ = 0;
  std::uint32_t free_ = no_slot;
  std::uint32_t live_ = 0;
  std::atomic<bool> lock_ = false;
};

}  // namespace baton
