// Windows are made here, and what they have is given back. The ranks exchange once what each must
// know of the others' memory.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.hpp"
#include "message/core/engine.hpp"
#include "platform/memory_kind.hpp"
#include "transport/heap.hpp"
#include "transport/move/reach.hpp"
#include "transport/node.hpp"
#include "window/check_access.hpp"
#include "window/count.hpp"
#include "window/free.hpp"
#include "window/gather.hpp"
#include "window/network/provider_reach.hpp"
#include "window/one_sided.hpp"
#include "window/reach.hpp"
#include "window/remote_target.hpp"
#include "window/synchronize.hpp"
#include "window/window.hpp"
#include "world/agree/agree.hpp"
#include "world/program_memory.hpp"

namespace baton::window {

WindowTable windows;

namespace {

// Window memory of at least this many bytes gets its pages when they are touched, since much of a
// long window may never be. Guess.
constexpr MPI_Aint touched_later_bytes_min = 1 << 20;

// This is what each rank tells all others when a window is made.
struct WindowDescription {
  std::uint64_t address;
  std::int64_t bytes;
  std::int64_t unit;
  std::uint64_t row_address;  // 0: no other rank can map the row
  std::int64_t error;
  std::uint64_t mappable;  // the memory lies in the exported heap
  std::uint64_t delegation_space;
  std::uint64_t foreign;  // only this rank reaches its memory
};

Error no_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a window");
}

// Makes the window with a communicator of its own, and does what this rank can do without the
// others.
Error prepare(Communicator& parent, const Info* info, int flavor, Window** made) {
  Communicator* comm = nullptr;
  if (Error error = world::make_for_object(parent, "windows", "made", &comm)) return error;
  auto* window = new (std::nothrow) Window;
  if (window) {
    const auto ranks = static_cast<std::size_t>(comm->size());
    window->targets = static_cast<Target*>(std::calloc(ranks, sizeof(Target)));
    window->accessed = static_cast<std::int32_t*>(std::calloc(ranks, sizeof(std::int32_t)));
    window->handle = windows.add(window);
  }
  // The other ranks wait for this rank below, so the job ends here if there is no memory even for
  // this.
  BATON_INVARIANT(window && window->targets && window->accessed && window->handle != nullptr);
  window->comm = comm;
  window->flavor = flavor;
  window->is_special = must_be_special(*window);
  name_communicator(*window);
  window->errors.mpi_handle = window->handle;
  update_hints(window->hints, info, false);
  world::promise_kinds(comm->hints, window->hints.asserted_kinds);
  *made = window;
  return MPI_SUCCESS;
}

void make_row(Window& window) {
  const lockfree::WindowRowLayout layout(static_cast<std::uint32_t>(window.ranks()));
  void* memory = nullptr;
  // The program's memory policy does not apply: rows are small, and all ranks look at them.
  if (transport::exported_heap.allocate(layout.bytes, cache_line_bytes, nullptr, true, &memory))
    memory = nullptr;
  window.row_is_shared = memory != nullptr;
  if (!memory && ::posix_memalign(&memory, cache_line_bytes, layout.bytes) == 0)
    std::memset(memory, 0, layout.bytes);
  window.row = static_cast<Row*>(memory);
}

void free_row(Window& window) {
  if (window.row_is_shared)
    (void)transport::exported_heap.release(window.row);
  else
    std::free(window.row);
}

// Does what other ranks of the node have asked this one for.
bool attend() {
  return one_sided.delegation.attend(one_sided.listeners);
}

// Returns whether other ranks may reach the window's memory only through the kernel.
bool may_be_private(const Window& window) {
  return window.flavor == MPI_WIN_FLAVOR_CREATE || window.is_dynamic();
}

// Returns whether all ranks of the node can expect to map this rank's memory; attaching it can
// still fail.
bool can_all_map(const Window& window) {
  for (int rank = 0; rank < window.ranks(); ++rank) {
    const LocalRank other = window.targets[rank].local_rank;
    if (rank != window.rank() && other != not_on_this_node &&
        transport::reach_by(other, window.base) != transport::Reach::mapped)
      return false;
  }
  return true;
}

void let_go_memory(Window& window) {
  for (int rank = 0; rank < window.ranks(); ++rank)
    if (window.targets[rank].attached)
      transport::attached_memory.let_go(window.targets[rank].memory);
}

}  // namespace

void dispose(Window& window) {
  one_sided.listeners.remove(window);
  forget_gathered(window);
  if (may_be_private(window)) one_sided.delegation.close();
  end_checks(window);
  let_go_memory(window);
  close_provider(window);
  forget_regions(window);
  if (window.allocated) (void)world::free_memory(window.allocated);
  free_row(window);
  (void)world::free_communicator(*window.comm);
  windows.remove(window.handle);
  std::free(window.targets);
  std::free(window.accessed);
  delete window.counts;
  delete &window;
}

namespace {

void fill_target(Window& window, int rank, const WindowDescription& description) {
  Target& target = *new (&window.targets[rank]) Target;
  target.bytes = description.bytes;
  target.unit = description.unit;
  target.process = window.comm->point_to_point.process(rank);
  target.local_rank = transport::local_rank_of(target.process);
  target.address = description.address;
  target.owner = rank;
  target.row_address = description.row_address;
  target.foreign = description.foreign != 0;
  if (rank != window.rank()) return;
  target.row = window.row;
  if (target.foreign) {
    // Its own operations go by messages, too, so that all that change elements wait for each other.
    target.reach = &message_reach;
    window.sends = true;
    return;
  }
  target.memory = static_cast<char*>(window.base);
  // In a window that begins at address 0 the kernel finds out what there is.
  target.mapped = window.base || window.size == 0;
  target.reach = target.mapped ? &mapped_reach : &kernel_reach;
}

// Exchanges descriptions: each rank learns what all others have. A failure of one rank is an error
// on all, and then frees the window.
Error exchange(Window& window, std::int64_t unit, Error own_error) {
  const auto ranks = static_cast<std::size_t>(window.ranks());
  auto* descriptions =
      static_cast<WindowDescription*>(std::malloc(ranks * sizeof(WindowDescription)));
  make_row(window);
  if (!own_error && (!descriptions || !window.row)) own_error = no_memory();
  const WindowDescription own{
      reinterpret_cast<std::uint64_t>(window.base),
      window.size,
      unit,
      window.row_is_shared ? reinterpret_cast<std::uint64_t>(window.row) : 0,
      own_error,
      window.flavor == MPI_WIN_FLAVOR_SHARED || transport::exported_heap.contains(window.base),
      may_be_private(window) ? one_sided.delegation.open(attend) : 0,
      window.size > 0 && platform::memory_kinds.find(window.base)};
  // The other ranks would wait for ever if this rank left here, so the job ends without this
  // memory.
  BATON_INVARIANT(descriptions != nullptr);
  Explanation why = last_explanation();
  // By the plane of collectives: nobody could end the wait for a rank that has left after a
  // failure.
  Error error = world::agree_allgather(window.comm->members(world::agreement_tag), &own, sizeof own,
                                       descriptions);
  window.serves = !own.mappable || !own.row_address;
  for (std::size_t rank = 0; rank < ranks && !error; ++rank) {
    fill_target(window, static_cast<int>(rank), descriptions[rank]);
    window.serves |= window.targets[rank].local_rank == not_on_this_node;
    if (may_be_private(window))
      one_sided.delegation.note_space(window.targets[rank].local_rank,
                                      descriptions[rank].delegation_space);
    if (descriptions[rank].error && !own_error)
      error = fail(static_cast<Error>(descriptions[rank].error),
                   "rank %zu of the communicator could not give its memory for the window", rank);
  }
  if (own_error) {
    last_explanation() = why;
    error = own_error;
  }
  // Not all ranks can use atomic instructions on this memory, so accumulates make plain changes
  // only, under the lock.
  if (!error && !own.mappable && (own.foreign || !can_all_map(window)))
    // relaxed: no rank uses the row before all have left this call, see below.
    window.row->guard.mode.store(lockfree::GuardMode::always_locked, std::memory_order_relaxed);
  std::free(descriptions);
  if (!error) error = open_provider(window);
  // A rank that has left the exchange may use the window at once.
  serve_messages();
  one_sided.listeners.add(window);
  if (!error) error = meet(window);
  if (error) dispose(window);
  return error;
}

Error check_unit(std::int64_t unit) {
  if (unit > 0) return MPI_SUCCESS;
  return fail(MPI_ERR_DISP, "argument disp_unit: %lld; it must be positive",
              static_cast<long long>(unit));
}

Error check_size(MPI_Aint size) {
  if (size >= 0) return MPI_SUCCESS;
  return fail(MPI_ERR_SIZE, "argument size: %lld is negative", static_cast<long long>(size));
}

// Takes memory for a window, where the other ranks can reach it.
Error take_memory(Window& window, const Info* info, MPI_Aint bytes) {
  const auto backing =
      bytes < touched_later_bytes_min ? world::Backing::now : world::Backing::when_touched;
  return world::allocate_memory(static_cast<std::size_t>(bytes), info, 3, backing,
                                &window.allocated);
}

void set_own(Window& window, void* base, MPI_Aint size, std::int64_t unit) {
  window.base = base;
  window.size = size;
  const auto narrow = static_cast<int>(unit);
  window.unit = narrow == unit ? narrow : MPI_UNDEFINED;
}

}  // namespace

Error create(Communicator& comm, const Info* info, void* base, MPI_Aint size, std::int64_t unit,
             Window** made) {
  if (Error error = check_size(size)) return error;
  if (Error error = check_unit(unit)) return error;
  if (Error error = prepare(comm, info, MPI_WIN_FLAVOR_CREATE, made)) return error;
  set_own(**made, base, size, unit);
  return exchange(**made, unit, MPI_SUCCESS);
}

Error allocate(Communicator& comm, const Info* info, MPI_Aint size, std::int64_t unit, void* base,
               Window** made) {
  if (Error error = check_size(size)) return error;
  if (Error error = check_unit(unit)) return error;
  if (Error error = prepare(comm, info, MPI_WIN_FLAVOR_ALLOCATE, made)) return error;
  Window& window = **made;
  Error error = take_memory(window, info, size);
  set_own(window, window.allocated, size, unit);
  *static_cast<void**>(base) = window.base;
  return exchange(window, unit, error);
}

Error create_dynamic(Communicator& comm, const Info* info, Window** made) {
  if (Error error = prepare(comm, info, MPI_WIN_FLAVOR_DYNAMIC, made)) return error;
  return exchange(**made, 1, MPI_SUCCESS);
}

// Makes a window of shared memory. The ranks' parts follow each other in memory of the first rank,
// or each rank has memory of its own.
Error allocate_shared(Communicator& comm, const Info* info, MPI_Aint size, std::int64_t unit,
                      void* base, Window** made) {
  if (Error error = check_size(size)) return error;
  if (Error error = check_unit(unit)) return error;
  for (int rank = 0; rank < comm.size(); ++rank)
    if (transport::local_rank_of(comm.point_to_point.process(rank)) == not_on_this_node)
      return fail(MPI_ERR_RMA_SHARED,
                  "argument comm: its rank %d is on another node; MPI_Comm_split_type with "
                  "MPI_COMM_TYPE_SHARED gives a communicator of ranks that share memory",
                  rank);
  if (Error error = prepare(comm, info, MPI_WIN_FLAVOR_SHARED, made)) return error;
  Window& window = **made;
  const int ranks = window.ranks();
  auto* sizes = static_cast<std::int64_t*>(std::malloc(static_cast<std::size_t>(ranks) * 8));
  BATON_INVARIANT(sizes != nullptr);
  const world::Members members = window.comm->members(world::agreement_tag);
  Error error = world::agree_allgather(members, &size, sizeof size, sizes);
  std::int64_t before = 0, all = 0;
  for (int rank = 0; rank < ranks; ++rank) {
    if (rank < window.rank()) before += sizes[rank];
    all += sizes[rank];
  }
  std::free(sizes);
  const bool apart = window.hints.noncontiguous;
  if (!error && (apart || window.rank() == 0))
    error = take_memory(window, info, apart ? size : all);
  if (!error && ranks > 1 && window.allocated &&
      !transport::exported_heap.contains(window.allocated))
    error = fail(MPI_ERR_RMA_SHARED,
                 "there is no memory here that the ranks can share (no space in the job's memory "
                 "file, or ranks that another launcher has started); start the job with Baton's "
                 "mpiexec, or use MPI_Win_allocate");
  std::uint64_t first = reinterpret_cast<std::uint64_t>(error ? nullptr : window.allocated);
  if (!apart) {
    Explanation why = last_explanation();
    if (Error failed = world::agree_broadcast(members, 0, &first, sizeof first)) error = failed;
    if (error) last_explanation() = why;
    if (!error && first == 0) error = no_memory();
  }
  char* memory = static_cast<char*>(window.allocated);
  if (!error && !apart) {
    const LocalRank owner = transport::local_rank_of(window.comm->point_to_point.process(0));
    if (window.rank() != 0)
      memory = transport::exported_heap.reach(owner, reinterpret_cast<const void*>(first));
    if (memory)
      memory += before;
    else
      error = no_memory();
  }
  set_own(window, memory, size, unit);
  *static_cast<void**>(base) = memory;
  error = exchange(window, unit, error);
  if (error || apart) return error;
  // The memory belongs to the first rank, so the addresses are those at that rank.
  for (int rank = 0; rank < ranks; ++rank) {
    Target& target = window.targets[rank];
    target.owner = 0;
    target.address = first;
    first += static_cast<std::uint64_t>(target.bytes);
  }
  return MPI_SUCCESS;
}

Error shared_query(Window& window, int rank, MPI_Aint* size, std::int64_t* unit, void* base) {
  if (window.is_dynamic())
    return fail(MPI_ERR_RMA_FLAVOR,
                "a dynamic window has no memory of its own that could be asked for");
  if (rank == MPI_PROC_NULL)
    for (rank = 0; rank + 1 < window.ranks() && window.targets[rank].bytes == 0;) ++rank;
  Target& target = window.targets[rank];
  void** result = static_cast<void**>(base);
  *size = 0;
  *unit = target.unit;
  *result = nullptr;
  if (target.local_rank == not_on_this_node) return MPI_SUCCESS;
  reach(window, target);
  if (!target.mapped) return MPI_SUCCESS;
  *size = target.bytes;
  if (target.bytes > 0) *result = target.memory;
  return MPI_SUCCESS;
}

}  // namespace baton::window
