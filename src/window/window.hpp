// Windows: memory that the ranks of a communicator let each other reach (MPI 5.0, "One-Sided
// Communications"). A window has a communicator of its own, and an entry for each rank that says
// where its memory is and how it is reached: mapped here, or through the kernel. Used by api/.
// Invariant: where memory can be reached no operation needs the target's help; the words that ranks
// of a node share lie in window rows (lockfree/window_row.hpp), each in the memory of its rank. All
// other operations go by messages (remote.hpp).
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>

#include "base/error.hpp"
#include "base/handle_table.hpp"
#include "base/one_sided.hpp"
#include "lockfree/window_row.hpp"
#include "platform/lock.hpp"
#include "window/hint.hpp"
#include "world/attribute.hpp"
#include "world/communicator.hpp"
#include "world/error_handler.hpp"

namespace baton::window {

using Row = lockfree::WindowRow<lockfree::Hardware>;
using SharedWord = std::atomic<std::uint32_t>;

class Reach;  // reach.hpp

enum class Hold : std::uint8_t { none, shared, exclusive, unchecked };

// These are the memory regions attached to a dynamic window, by address, and behind them the
// regions that were detached last, the oldest first. It is the list of this rank, which others map,
// or a copy of another rank's.
struct Regions {
  static constexpr std::size_t detached_max = 64;  // guess
  lockfree::WindowRegion* list = nullptr;
  std::size_t count = 0, detached = 0, space = 0;
  std::uint64_t version = 0;  // of a copy
};

// This is the list of this rank at the place where others read it.
struct PublishedRegions {
  lockfree::SharedRegion<lockfree::Hardware>* list = nullptr;
  std::size_t space = 0;
};

// Counts the messages whose completion only the answer to a later flush tells: how many were sent,
// and how many of these are known to be done. Several threads send and flush: a thread that finds
// its own messages among those done need not flush, and one that does not flushes itself, whatever
// others have asked meanwhile.
struct Unanswered {
  std::uint32_t sent = 0, done = 0;

  // Notes that a message was sent.
  void note_sent() { platform::add_shared(sent, 1u); }
  // Returns the number that a flush is to answer for. It is read before the flush is sent.
  std::uint32_t all_sent() const { return platform::load_shared(sent); }
  bool is_done(std::uint32_t number) const {
    // ORDER window.done: acquire here, release in note_done; what was sent has taken effect.
    return is_reached(
        number, std::atomic_ref(const_cast<std::uint32_t&>(done)).load(std::memory_order_acquire));
  }
  // Notes the answer to a flush. Answers may come to their threads in another order.
  void note_done(std::uint32_t number) {
    std::atomic_ref word(done);
    // relaxed: a number to compare with; the exchange publishes.
    std::uint32_t before = word.load(std::memory_order_relaxed);
    // ORDER window.done: release here, acquire in is_done.
    while (!is_reached(number, before) &&
           !word.compare_exchange_weak(before, number, std::memory_order_release,
                                       std::memory_order_relaxed)) {
    }
  }

 private:
  // Numbers wrap around after 2^32.
  static bool is_reached(std::uint32_t number, std::uint32_t now) {
    return static_cast<std::int32_t>(number - now) <= 0;
  }
};

// This is a rank of the window, as this rank sees it.
struct Target {
  char* memory = nullptr;  // its memory here, where it is mapped
  std::int64_t bytes = 0;
  std::int64_t unit = 1;     // bytes of a displacement unit
  Row* row = nullptr;        // null: its locks and epochs go by messages
  bool mapped = false;       // operations are loads and stores at `memory`
  bool open = false;         // an access epoch of ours reaches it, apart from the window's epoch
  bool attached = false;     // `memory` is to be let go with the window
  bool foreign = false;      // only its rank reaches its memory (platform/memory_kind.hpp)
  bool has_foreign = false;  // we have reached foreign memory attached there, by messages
  bool visited = false;      // it knows that we change its elements by atomic instructions
  Hold hold = Hold::none;
  std::uint32_t number = 0;      // our number at its lock
  std::uint32_t posts_seen = 0;  // its calls of MPI_Win_post for us that we have seen
  std::uint32_t changes = 0;     // our atomic changes, in accumulates of several elements
  Unanswered messages;
  std::uint32_t run_sent = 0;   // the last of these messages that is an accumulate by a transfer
  std::int64_t unflushed = 0;   // bytes of these messages
  Error refused = MPI_SUCCESS;  // error of messages from there that this rank could not carry out
  Process process{};
  LocalRank local_rank = not_on_this_node;
  std::int32_t owner = 0;         // the rank of this window that owns the memory
  std::uint64_t address = 0;      // where the memory lies at its owner
  std::uint64_t row_address = 0;  // where the row lies, at the target
  Regions* regions = nullptr;     // our copy of its list of attached memory
  const Reach* reach = nullptr;   // how its memory is reached; null: no operation has looked yet
};

// This is the access epoch that is open.
enum class Epoch : std::uint8_t { none, fence, started, locked, locked_all };

struct WindowChecks;

struct GatheredPuts;  // gather.hpp
struct GatheredGets;

class Window {
 public:
  ErrorTarget errors{ObjectKind::win};
  AttributeSet attributes;
  char name[MPI_MAX_OBJECT_NAME] = {};
  MPI_Win handle = MPI_WIN_NULL;
  Communicator* comm = nullptr;  // the window's own
  Target* targets = nullptr;     // by rank
  Hints hints;

  // These are this rank's memory and the values that attributes point to.
  void* base = nullptr;
  MPI_Aint size = 0;
  int unit = 1;  // MPI_UNDEFINED where no int holds it
  int flavor = MPI_WIN_FLAVOR_CREATE;
  bool is_special = false;  // operations find their spots on a cold path: dynamic, or counted,
                            // or their data may lie in foreign memory
  int model = MPI_WIN_UNIFIED;
  void* allocated = nullptr;  // memory to be freed with the window
  Row* row = nullptr;
  bool row_is_shared = false;

  WindowChecks* checks = nullptr;  // `mpiexec --check`, see check_access.hpp
  WindowCounts* counts = nullptr;  // once a tool has watched it, see count.hpp
  // All targets may be accessed: in a fence epoch, once an operation has followed the fence.
  bool all_open = false;
  Epoch epoch = Epoch::none;
  bool dirty = false;            // this rank has stored somewhere since the last fence of the CPU
  bool sends = false;            // some target's memory, or row, is reached by messages
  Unanswered messages;           // to all targets
  bool gathered = false;         // short operations wait in the batch (batch.hpp)
  GatheredPuts* puts = nullptr;  // short puts to another node, gathered in a message
  GatheredGets* gets = nullptr;  // short gets, gathered likewise
  const Reach* provider = nullptr;   // reaches ranks of other nodes, or null (network/)
  bool exposed = false;              // between MPI_Win_post and the end of MPI_Win_wait
  Group* exposed_to = nullptr;       // the group of the exposure epoch; held
  bool all_unchecked = false;        // MPI_Win_lock_all was called with MPI_MODE_NOCHECK
  std::int32_t locks = 0;            // targets that MPI_Win_lock has locked now
  std::int32_t* accessed = nullptr;  // ranks of MPI_Win_start, or locked for MPI_Win_lock_all
  std::int32_t accessed_count = 0;
  std::uint32_t completes_expected = 0;  // of all exposure epochs so far
  Regions attached;                      // memory of this rank attached to a dynamic window
  PublishedRegions published;
  bool serves = false;               // others may reach our memory by messages to us alone
  Window* next_listening = nullptr;  // see listeners.hpp
  std::atomic<std::uint32_t> accepted_transfers{0};  // of others, not over (transfer_target.hpp)
  // These locks are taken where threads need them, and never held during a wait. The first protects
  // epochs and locks; the second, how targets are reached, and attached memory.
  platform::Lock epoch_lock;
  platform::Lock memory_lock;

  int rank() const { return comm->rank(); }
  int ranks() const { return comm->size(); }
  bool is_dynamic() const { return flavor == MPI_WIN_FLAVOR_DYNAMIC; }
  Target& own() { return targets[rank()]; }
  int rank_of(const Target& target) const { return static_cast<int>(&target - targets); }
};

using WindowTable = HandleTable<Window, HandleTag::win>;
extern WindowTable windows;

// --- the parts of a row (window_row.hpp)
inline SharedWord* words_at(Row& row, std::uint64_t offset) {
  return reinterpret_cast<SharedWord*>(reinterpret_cast<char*>(&row) + offset);
}

// Returns whether an access epoch of ours reaches the target.
inline bool is_open(const Window& window, const Target& target) {
  // ORDER window.open: acquire here, release in take_any_lock; the lock is ours.
  return platform::load_shared(window.all_open) ||
         std::atomic_ref(const_cast<bool&>(target.open)).load(std::memory_order_acquire);
}

// Finds out how a target is reached: maps its row, and its memory except in dynamic windows.
BATON_COLD void reach_target(Window& window, Target& target);
inline const Reach* known_reach(Target& target) {
  // ORDER window.reach: acquire here, release in reach_target; its row and memory are known.
  return std::atomic_ref(target.reach).load(std::memory_order_acquire);
}
// Returns whether operations are loads and stores at the target's `memory`.
inline bool is_mapped(const Target& target) {
  // ORDER window.mapped: acquire here, release in reach_target; the memory.
  return std::atomic_ref(const_cast<bool&>(target.mapped)).load(std::memory_order_acquire);
}
inline void reach(Window& window, Target& target) {
  if (BATON_UNLIKELY(!known_reach(target))) reach_target(window, target);
}

// Makes a window. It is collective over `comm`. A failure of one rank only (no memory) is an error
// on all.
Error create(Communicator& comm, const Info* info, void* base, MPI_Aint size, std::int64_t unit,
             Window** made);
Error allocate(Communicator& comm, const Info* info, MPI_Aint size, std::int64_t unit, void* base,
               Window** made);
Error allocate_shared(Communicator& comm, const Info* info, MPI_Aint size, std::int64_t unit,
                      void* base, Window** made);
Error create_dynamic(Communicator& comm, const Info* info, Window** made);
// Frees the window. It is collective; callbacks of attributes may refuse.
Error free_window(Window& window);

// These attach or detach memory of this rank in a dynamic window: others may reach it from now on,
// or no longer. Errors: MPI_ERR_RMA_FLAVOR, MPI_ERR_RMA_ATTACH, MPI_ERR_SIZE, MPI_ERR_NO_MEM,
// explained.
Error attach(Window& window, void* base, MPI_Aint bytes);
Error detach(Window& window, const void* base);
// This is the location of bytes in a dynamic window.
enum class Lies : std::uint8_t {
  nowhere,   // not all of them in memory that others may reach
  attached,  // in attached memory
  detached,  // some in memory that was attached, and may be there still
};
// Finds where [address, address + bytes) lie at the target. `region` gets the attached region, or
// the regions without gaps between them, in which they lie; or just these bytes.
Lies find_region(Window& window, Target& target, std::uint64_t address, std::int64_t bytes,
                 lockfree::WindowRegion* region);
// Returns whether all bytes are memory of this rank that others may reach: attached, or detached
// but still there.
bool is_usable(Window& window, std::uint64_t address, std::int64_t bytes);
void forget_regions(Window& window);

// Finds where a rank's memory lies in this process; rank MPI_PROC_NULL means the first that has
// any. The base is null where the memory cannot be mapped, or has no bytes.
Error shared_query(Window& window, int rank, MPI_Aint* size, std::int64_t* unit, void* base);

}  // namespace baton::window

namespace baton {
using window::Window;
}
