#include "collective/check/alike.hpp"

#include <new>

#include "collective/check/checking.hpp"
#include "collective/check/deadlock.hpp"
#include "collective/check/partners.hpp"
#include "collective/check/words.hpp"
#include "collective/device_data.hpp"
#include "collective/select.hpp"
#include "collective/turn.hpp"
#include "platform/memory_kind.hpp"
#include "world/portability.hpp"

namespace baton::collective {

namespace {

using world::Members;
using world::TagKind;

// The messages of the check have tags of their own: the algorithms' go by other contexts, with
// other numbers of ranks, but the same queue. There are never this many calls under way at once.
constexpr std::uint32_t check_numbers = 1u << 27;

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

// This is a call that is being checked.
struct Check {
  const Call& call;
  Members members;
  CallNumber number;
  Outline outline;
  Verdict& verdict;

  bool judges() const { return members.position == 0; }
};

void send(Run& run, const Members& members, const void* data, std::size_t bytes, int to) {
  run.send(*members.context, data, static_cast<std::int64_t>(bytes), bytes_type(),
           members.rank_at(to));
}
void receive(Run& run, const Members& members, void* data, std::size_t bytes, int from) {
  run.receive(*members.context, data, static_cast<std::int64_t>(bytes), bytes_type(),
              members.rank_at(from));
}

// Returns space for what all members tell, at the member that judges. Without memory the verdict is
// that error, before any member was heard.
void* space_for_all(Run& run, const Check& check, std::size_t bytes) {
  void* space = run.take(static_cast<std::size_t>(check.members.count) * bytes);
  if (space) return space;
  check.verdict.error_class = MPI_ERR_NO_MEM;
  Words(check.verdict.text)
      .add("no memory to compare what %d ranks call; without --check it is not needed",
           check.members.count);
  return nullptr;
}

// Sends the verdict from the member that judges straight to all others.
Task spread(Run& run, const Check& check) {
  Verdict& verdict = check.verdict;
  if (!check.judges()) {
    receive(run, check.members, &verdict, sizeof verdict, 0);
  } else {
    const std::size_t bytes = verdict.error_class ? sizeof verdict : sizeof verdict.error_class;
    for (int i = 1; i < check.members.count; ++i) send(run, check.members, &verdict, bytes, i);
  }
  co_await run.all();
}

// Waits as run.all() does, for messages that come only when all ranks have called. A rank that
// waits long here looks for deadlocks; for a nonblocking call the thread that waits for it does.
Task all_have_called(Run& run, const Checking& checking) {
  run.checking = &checking;
  if (run.is_blocking()) {
    Watch watch;
    message::wait_until(
        [&run, &checking, &watch] {
          if (run.all_complete()) return true;
          watch.look_at(checking);
          return false;
        },
        [&run] { return run.subject(); });
    watch.end();
  }
  co_await run.all();
  run.checking = nullptr;
}

Task compare_calls(Run& run, const Check& check) {
  const Procedure procedure = check.outline.procedure;
  if (!check.judges()) {
    const Checking checking{*check.call.comm, check.number, procedure, nullptr};
    send(run, check.members, &check.outline, sizeof check.outline, 0);
    receive(run, check.members, &check.verdict, sizeof check.verdict, 0);
    co_await all_have_called(run, checking);
    co_return;
  }
  if (auto* outlines = static_cast<Outline*>(space_for_all(run, check, sizeof(Outline)))) {
    new (outlines) Outline(check.outline);
    for (int i = 1; i < check.members.count; ++i) {
      new (outlines + i) Outline;
      receive(run, check.members, outlines + i, sizeof(Outline), i);
    }
    const Checking checking{*check.call.comm, check.number, procedure, outlines};
    co_await all_have_called(run, checking);
    compare(*check.call.comm, check.number, outlines, check.verdict);
  }
  co_await spread(run, check);
}

// Exchanges signatures: each rank tells what it sends to those that get it, and counts where it
// hears something else than it expects.
Task exchange_signatures(Run& run, const Call& call, Misfits* misfits) {
  const Partners given(call, Partners::Side::gives), gotten(call, Partners::Side::gets);
  const int given_max = given.places(), gotten_max = gotten.places();
  auto* blocks =
      static_cast<Block*>(run.take(sizeof(Block) * (static_cast<std::size_t>(given_max) +
                                                    static_cast<std::size_t>(gotten_max))));
  auto* heard = static_cast<datatype::Signature*>(
      run.take(sizeof(datatype::Signature) * static_cast<std::size_t>(gotten_max)));
  if (!blocks || !heard) co_return;
  constexpr std::int64_t bytes = sizeof(datatype::Signature);
  const message::Context& context = call.comm->collective;
  int expected = 0;
  for (int i = 0; i < gotten_max; ++i) {
    Block block{};
    if (!gotten.block(i, block)) continue;
    blocks[expected] = block;
    run.receive(context, heard + expected++, bytes, bytes_type(), block.rank);
  }
  for (int i = 0; i < given_max; ++i) {
    Block block{};
    if (!given.block(i, block)) continue;
    blocks[gotten_max + i] = block;
    run.send(context, &blocks[gotten_max + i].data, bytes, bytes_type(), block.rank);
  }
  co_await run.all();
  const Communicator& comm = *call.comm;
  auto position = [&comm](int rank, bool own) {
    if (!comm.is_inter()) return rank;
    const bool second = comm.both->rank != comm.rank();
    const int before = own ? comm.remote_size() : comm.size();
    return second == own ? before + rank : rank;
  };
  for (int i = 0; i < expected; ++i) {
    if (heard[i].matches(blocks[i].data) || misfits->count++ > 0) continue;
    misfits->from = position(blocks[i].rank, false);
    misfits->to = position(comm.rank(), true);
    misfits->sent = heard[i];
    misfits->expected = blocks[i].data;
  }
}

Task compare_blocks(Run& run, const Check& check) {
  Misfits own;
  co_await exchange_signatures(run, check.call, &own);
  if (check.judges()) {
    auto* misfits = static_cast<Misfits*>(space_for_all(run, check, sizeof(Misfits)));
    if (misfits) {
      new (misfits) Misfits(own);
      for (int i = 1; i < check.members.count; ++i)
        receive(run, check.members, misfits + i, sizeof(Misfits), i);
      co_await run.all();
      compare(*check.call.comm, check.number, check.outline.procedure, misfits, check.verdict);
    }
  } else {
    send(run, check.members, &own, sizeof own, 0);
  }
  co_await spread(run, check);
}

// Begins the algorithm of a call that has been compared and whose turn it is, where its data lies.
Task begin_compared(Run& run) {
  const auto algorithm = [](Run& of) { return select_for(of, of.call); };
  if (platform::memory_kinds.concern_collectives()) return begin_in_turn(run, algorithm);
  const Task begun = algorithm(run);
  count_begun(run.call);
  return begun;
}

Form form_of(const Run& run) {
  if (!run.visible) return Form::blocking;
  return run.call.persistent ? Form::persistent : Form::nonblocking;
}

}  // namespace

Task check_and_run(Run& run, const Call& call) {
  Communicator& comm = *call.comm;
  if (call.operation && call.in.type)
    note_not_portable(datatype::lenient_use(*call.operation, *call.in.type));
  Verdict verdict;  // lives as long as the run, as its text has to
  const std::int32_t tag = run.change_tag(0);
  const std::uint32_t number = world::number_of_tag(tag);
  const bool persistent = world::kind_of_tag(tag) == TagKind::persistent;
  run.change_tag(world::own_tag(world::kind_of_tag(tag), number + check_numbers));
  const Check check{
      call, comm.members(0), {number, persistent}, outline_of(call, form_of(run)), verdict};
  co_await compare_calls(run, check);
  if (!run.error() && !verdict.error_class && exchanges_blocks(call.kind))
    co_await compare_blocks(run, check);
  run.change_tag(tag);
  if (verdict.error_class) run.refuse(verdict.error_class, verdict.text);
  if (persistent) {
    if (!run.error()) co_await begin_compared(run);
    co_return;
  }
  // Rounds of the communicator's room are taken in the order of the calls, whichever check ends
  // first.
  co_await run.until_progress([&run] { return is_next(run); });
  if (run.error()) {
    count_begun(call);
    co_return;
  }
  co_await begin_compared(run);
}

}  // namespace baton::collective
