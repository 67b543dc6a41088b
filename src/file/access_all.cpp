// Collective accesses: each rank tells all others what it has, all choose the same way, and then
// each moves its data alone or in an exchange.
#include <algorithm>
#include <cstring>
#include <new>

#include "collective/by_nodes.hpp"
#include "collective/form.hpp"
#include "file/access_all.hpp"
#include "file/board.hpp"
#include "file/exchange.hpp"
#include "file/mapped_transfer.hpp"
#include "message/core/requests.hpp"
#include "message/core/wait.hpp"
#include "platform/memory_file.hpp"

namespace baton::file {

using collective::Run;
using collective::Task;

namespace {

// An access of all ranks, as this rank has called it.
struct Together {
  File* file;
  Access access;
  Placed placed;
  Error error;  // why this rank moves nothing, and its explanation
  char words[sizeof(Explanation::text)];
  std::uint32_t number;
  std::int64_t moved;
};

void keep_error(Together& together, Error error) {
  together.error = error;
  if (error) std::memcpy(together.words, last_explanation().text, sizeof together.words);
}

// ---- the first phase: telling all

// Takes memory for exchanges, where this rank is to; returns whether the rank has it. The memory is
// reserved when it is first wanted.
bool has_staging(File& file) {
  if (!file.staging || file.staging_is_settled) return file.staging != nullptr;
  if (file.owns_staging &&
      !platform::reserve_mapped_memory(file.staging,
                                       static_cast<std::uint64_t>(file.hints.collective_bytes)))
    return false;
  file.staging_is_settled = true;
  return true;
}

Share share_of(const Together& together) {
  File& file = *together.file;
  View& view = file.view;
  Share share{};
  if (together.access.writes) share.flags |= Share::writes;
  share.bytes = together.error ? 0 : together.placed.bytes;
  share.average = view.contiguous ? std::max<std::int64_t>(1, share.bytes) : view.average_bytes;
  const Use use = together.access.writes ? file.hints.collective_write : file.hints.collective_read;
  const bool wants = use != Use::disable && !file.atomic && !together.error && view.ascends &&
                     !view.representation->converts(together.access.writes);
  if (wants) share.flags |= Share::may_exchange;
  if (wants && file.board && has_staging(file)) share.flags |= Share::shares_memory;
  if (share.bytes > 0) {
    share.first = view.address(together.placed.position);
    share.end = view.address(together.placed.position + share.bytes - 1) + 1;
  }
  if (wants && share.bytes > 0 &&
      is_in_memory(file, together.access.writes, together.placed.position, share.bytes))
    share.flags |= Share::maps;
  if (!wants || !together.access.writes) return share;
  if (!view.is_marked) {
    view.mark = mark_of(view);
    view.is_marked = true;
  }
  share.mark = view.mark;
  share.extent = view.extent();
  share.tile_bytes = view.tile_bytes();
  share.tile_first = view.displacement + view.span.first;
  share.tile_end = view.displacement + view.span.end;
  return share;
}

collective::Call gather_call(Communicator& comm, const void* mine, std::size_t bytes, void* all) {
  Datatype* byte = datatype::datatypes.find(MPI_BYTE);
  const auto count = static_cast<std::int64_t>(bytes);
  collective::Call call{.kind = collective::Kind::allgather, .comm = &comm, .out = {}, .in = {}};
  call.out = {.buffer = const_cast<void*>(mine), .type = byte, .uniform = count};
  call.in = {.buffer = all, .type = byte, .uniform = count};
  return call;
}

collective::Call broadcast_call(Communicator& comm, void* data, std::size_t bytes) {
  collective::Call call{.kind = collective::Kind::broadcast, .comm = &comm, .out = {}, .in = {}};
  call.in = {.buffer = data,
             .type = datatype::datatypes.find(MPI_BYTE),
             .uniform = static_cast<std::int64_t>(bytes)};
  return call;
}

// ---- the shared pointer: data in the order of ranks

// Finds the position of this rank's data: behind that of the ranks before it.
Task place_in_order(Run& run, Together& together) {
  File& file = *together.file;
  const auto ranks = static_cast<std::size_t>(file.ranks());
  auto* all = static_cast<std::int64_t*>(run.take(ranks * sizeof(std::int64_t)));
  const std::int64_t each = file.view.etype_bytes();
  std::int64_t mine = together.error || each == 0 ? 0 : together.placed.bytes / each, base = 0;
  collective::Step gathering, telling;
  if (!all) co_return;
  collective::begin(run, gathering, gather_call(*file.comm, &mine, sizeof mine, all));
  co_await collective::finish(run, gathering);
  std::int64_t total = 0, before = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    if (r < static_cast<std::size_t>(file.rank())) before += all[r];
    total += all[r];
  }
  if (file.rank() == 0) run.note(add_to_shared_pointer(file, total, &base));
  collective::begin(run, telling, broadcast_call(*file.comm, &base, sizeof base));
  co_await collective::finish(run, telling);
  Access at = together.access;
  at.pointer = Pointer::offset;
  at.offset = base + before;
  if (!together.error)
    keep_error(together, place(file, at, together.placed.bytes, false, &together.placed));
}

// ---- both phases

Task exchange_all(Run& run, Together& together, const Share* shares, const Plan& chosen,
                  std::uint64_t first_chunk) {
  void* memory = run.take(sizeof(Exchange));
  if (!memory) co_return;
  const Access& access = together.access;
  auto* state = new (memory) Exchange{*together.file,
                                      access.writes,
                                      together.placed,
                                      Memory(access.buffer, *access.type, run.is_host()),
                                      shares,
                                      chosen,
                                      together.number,
                                      first_chunk,
                                      0,
                                      {}};
  if (chosen.way == Way::exchange)
    co_await exchange(run, *state);
  else
    co_await exchange_by_messages(run, *state);
  together.moved = state->moved;
  together.file->counts.add_moved(chosen.way == Way::exchange ? FileWay::exchanged : FileWay::sent,
                                  state->moved, 0);
}

Task move_all(Run& run, void* of) {
  Together& together = *static_cast<Together*>(of);
  File& file = *together.file;
  if (together.access.pointer == Pointer::shared) co_await place_in_order(run, together);
  const auto ranks = static_cast<std::size_t>(file.ranks());
  auto* shares = static_cast<Share*>(run.take(ranks * sizeof(Share)));
  auto* mine = static_cast<Share*>(run.take(sizeof(Share)));
  collective::Step gathering;
  if (shares && mine) {
    *mine = share_of(together);
    collective::begin(run, gathering, gather_call(*file.comm, mine, sizeof *mine, shares));
    co_await collective::finish(run, gathering);
  }
  // Accesses choose their way in the order of the calls, so that all ranks use the staging memory
  // in the same order.
  co_await run.until_progress([&] { return file.decided == together.number; });
  Plan chosen{Way::alone, FileReason::not_possible};
  if (shares && mine && !run.error()) chosen = plan(shares, file.ranks());
  const std::uint64_t first_chunk = file.chunks;
  if (chosen.way == Way::exchange) file.chunks += chunks_of(file, chosen);
  ++file.decided;
  if (file.rank() == 0) ++file.counts.reasons[static_cast<int>(chosen.why)];
  if (is_told(Event::file_access_planned))
    tell(Event::file_access_planned, EventPlace::inside,
         reinterpret_cast<std::uint64_t>(file.handle),
         {together.placed.bytes, chosen.way != Way::alone, static_cast<int>(chosen.why)});
  if (together.error) {
    run.refuse(together.error, together.words);
  } else if (chosen.way != Way::alone) {
    co_await exchange_all(run, together, shares, chosen, first_chunk);
  } else {
    keep_error(together, carry_out(file, together.access, together.placed, &together.moved));
    if (together.error) run.refuse(together.error, together.words);
  }
  count_call(file, together.access, true, together.moved);
  if (run.visible) {
    run.visible->bytes = together.moved;
    (void)note_outcome(file, together.access, run.error());
  }
}

collective::Call call_of(Together& together) {
  collective::Call call{
      .kind = collective::Kind::barrier, .comm = together.file->comm, .out = {}, .in = {}};
  call.task = move_all;
  call.task_state = &together;
  call.task_state_bytes = sizeof together;
  return call;
}

// Checks a call and finds its place. A rank that has an error takes part all the same, with no
// data.
void begin_together(File& file, const Access& access, bool moves_pointer, Together& together) {
  together.file = &file;
  together.access = access;
  together.number = file.accesses++;
  std::int64_t bytes = 0;
  Error error = check_access(file, access, &bytes);
  if (access.pointer == Pointer::shared)
    together.placed.bytes = bytes;
  else if (!error)
    error = place(file, access, bytes, moves_pointer, &together.placed);
  keep_error(together, error);
  tell_begun(file, access, true, together.placed.bytes, EventPlace::inside);
}

Error check_no_split(const File& file) {
  if (!file.split) return MPI_SUCCESS;
  return fail(MPI_ERR_OTHER,
              "a split collective access is under way on %.200s; its end function must be called "
              "first",
              file.name);
}

}  // namespace

bool is_split_under_way(const File& file) {
  return file.split != nullptr;
}

Error access_all(File& file, const Access& call, MPI_Status* status) {
  if (Error error = check_no_split(file)) return error;
  if (file.ranks() == 1) return access(file, call, status);
  Together together{};
  begin_together(file, call, false, together);
  Error error = collective::run_now([&] { return call_of(together); });
  if (!together.error) set_pointer_behind(file, call, together.placed, together.moved);
  fill_status(status, together.moved);
  return note_outcome(file, call, error);
}

Error start_access_all(File& file, const Access& call, MPI_Request* request) {
  if (Error error = check_no_split(file)) return error;
  Together together{};
  begin_together(file, call, true, together);
  return collective::start(
      [&] {
        collective::Call made = call_of(together);
        made.in.type = call.type;  // the request keeps it alive
        return made;
      },
      request);
}

Error begin_access_all(File& file, const Access& call) {
  if (Error error = check_no_split(file)) return error;
  auto* split = new (std::nothrow) SplitAccess{MPI_REQUEST_NULL, call.writes, call.pointer};
  if (!split) return fail(MPI_ERR_NO_MEM, "no memory for a split collective access");
  if (Error error = start_access_all(file, call, &split->request)) {
    delete split;
    return error;
  }
  file.split = split;
  return MPI_SUCCESS;
}

Error end_access_all(File& file, bool writes, Pointer pointer, MPI_Status* status) {
  SplitAccess* split = file.split;
  if (!split || split->writes != writes || split->pointer != pointer)
    return fail(MPI_ERR_OTHER, "%s on %.200s",
                split ? "another kind of split collective access is under way"
                      : "no split collective access is under way",
                file.name);
  file.split = nullptr;
  message::Request& request = *message::requests.find(split->request);
  delete split;
  if (!message::is_complete(request)) message::wait_for(request);
  const Error error = request.error;
  fill_status(status, request.bytes);
  if (error) collective::explain_again(request);
  message::retire_request(request);
  return error;
}

}  // namespace baton::file
