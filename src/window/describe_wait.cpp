#include "window/describe_wait.hpp"

#include <cstdio>

#include "collective/check/words.hpp"
#include "message/core/engine.hpp"

namespace baton::window {

namespace {

using collective::Words;
using lockfree::AwaitedRanks;

std::uint32_t world_rank(const Window& window, int rank) {
  return message::world_rank(window.targets[rank].process);
}

void add_window(Words& words, const Window& window) {
  words.add("%s", window.comm->name);
}

// Adds a rank of the window, and its rank in the job if that differs.
void add_rank(Words& words, const Window& window, int rank) {
  const auto in_job = static_cast<int>(world_rank(window, rank));
  words.add(in_job == rank ? "rank %d" : "rank %d (%d in MPI_COMM_WORLD)", rank, in_job);
}

const auto& lock_of(const WindowWait& wait) {
  const Row& row = *wait.target.row;
  return wait.kind == WindowWait::Kind::elements ? row.elements : row.lock;
}

// Returns the rank that has a number at a lock, if the row tells it.
lockfree::NumberName taker(const WindowWait& wait, std::uint32_t number) {
  const lockfree::NumberName name = name_of(lock_of(wait).takers, number);
  return name.rank < wait.window.ranks() ? name : lockfree::NumberName{};
}

// Returns the first number whose readers may still hold the lock. Readers let go in any order:
// `served` may have let go already, and one with a number before it may not have. All that read
// together with it are awaited.
std::uint32_t first_reader(const WindowWait& wait, std::uint32_t served, bool* known) {
  for (std::uint32_t back = 1; back <= lockfree::LastNames<lockfree::Hardware>::kept; ++back) {
    if (served == back - 1) return 0;  // the first number of all
    const lockfree::NumberName before = taker(wait, served - back);
    *known = before.rank >= 0;
    if (!*known || before.writes) return served - back + 1;
  }
  *known = false;
  return served;
}

// Describes the wait for a turn: all ranks with earlier numbers have to let go first.
void describe_turn(const WindowWait& wait, Words& words, AwaitedRanks& awaited) {
  const Window& window = wait.window;
  // relaxed: a report only looks.
  const std::uint32_t served = lock_of(wait).gone.load(std::memory_order_relaxed);
  const std::uint32_t before = wait.number - served;
  words.add(wait.kind == WindowWait::Kind::elements ? "elements of " : "the lock of ");
  add_rank(words, window, window.rank_of(wait.target));
  words.add(" on ");
  add_window(words, window);
  if (before == 0 || before > static_cast<std::uint32_t>(window.ranks()))
    return;  // its turn has come meanwhile
  const lockfree::NumberName holder = taker(wait, served);
  bool known = holder.rank >= 0;
  std::uint32_t first = served;
  if (known && holder.writes) {
    words.add(wait.kind == WindowWait::Kind::elements ? ", changed by " : ", held by ");
    add_rank(words, window, holder.rank);
    if (before > 1) words.add(", %u more before this rank", before - 1);
  } else {
    if (known) first = first_reader(wait, served, &known);
    words.add(", %u turn%s before this rank%s", before, before == 1 ? "" : "s",
              holder.rank >= 0 ? ", held shared" : "");
  }
  awaited.more = !known;
  for (std::uint32_t number = first; number != wait.number; ++number) {
    const lockfree::NumberName name = taker(wait, number);
    if (name.rank >= 0)
      awaited.add(world_rank(window, name.rank));
    else
      awaited.more = true;
  }
}

const std::atomic<std::uint32_t>& post_word(const Window& window, int rank) {
  const lockfree::WindowRowLayout layout(static_cast<std::uint32_t>(window.ranks()));
  return words_at(*window.row, layout.posted)[rank];
}

void describe_posts(const WindowWait& wait, Words& words, AwaitedRanks& awaited) {
  const Window& window = wait.window;
  int missing = 0;
  for (auto i = static_cast<std::int32_t>(wait.number); i < window.accessed_count; ++i) {
    const int rank = window.accessed[i];
    // relaxed: a report only looks.
    if (post_word(window, rank).load(std::memory_order_relaxed) != window.targets[rank].posts_seen)
      continue;
    ++missing;
    awaited.add(world_rank(window, rank));
  }
  words.add("MPI_Win_post of %d of %d ranks on ", missing, window.accessed_count);
  add_window(words, window);
}

void describe_completes(const WindowWait& wait, Words& words, AwaitedRanks& awaited) {
  const Window& window = wait.window;
  if (!window.exposed_to) return;
  const Group& group = *window.exposed_to;
  const auto& epochs = window.row->epochs;
  const std::uint32_t first = window.completes_expected - static_cast<std::uint32_t>(group.size);
  // relaxed: a report only looks.
  const std::uint32_t completed = epochs.completed.load(std::memory_order_relaxed);
  const std::uint32_t missing = window.completes_expected - completed;
  words.add("MPI_Win_complete of %u of %d ranks on ", missing, group.size);
  add_window(words, window);
  for (std::int32_t i = 0; i < group.size; ++i) {
    const int rank = window.comm->local->rank_of(group.processes[i]);
    bool has_completed = false;
    for (std::uint32_t number = first; number != completed; ++number)
      has_completed |= name_of(epochs.completers, number).rank == rank;
    if (!has_completed) awaited.add(world_rank(window, rank));
  }
}

// Describes the wait for ranks that change elements by atomic instructions, which no rank may do
// during an accumulate of many elements.
void describe_changes(const WindowWait& wait, Words& words, AwaitedRanks& awaited) {
  const auto rank = static_cast<int>(wait.number);
  words.add("an accumulate of ");
  add_rank(words, wait.window, rank);
  words.add(" before its own, to elements of ");
  add_rank(words, wait.window, wait.window.rank_of(wait.target));
  words.add(" on ");
  add_window(words, wait.window);
  awaited.add(world_rank(wait.window, rank));
}

void describe_answer(const WindowWait& wait, const char* what, Words& words,
                     AwaitedRanks& awaited) {
  words.add("%s", what);
  add_rank(words, wait.window, wait.window.rank_of(wait.target));
  words.add(" on ");
  add_window(words, wait.window);
  words.add(", which answers when it is in MPI");
  awaited.add(message::world_rank(wait.target.process));
}

}  // namespace

void describe_wait(const void* object, lockfree::WaitDescription& description) {
  const auto& wait = *static_cast<const WindowWait*>(object);
  Words words(description.words);
  AwaitedRanks& awaited = description.awaited;
  switch (wait.kind) {
    case WindowWait::Kind::turn:
    case WindowWait::Kind::elements:
      return describe_turn(wait, words, awaited);
    case WindowWait::Kind::changes:
      return describe_changes(wait, words, awaited);
    case WindowWait::Kind::remote_lock:
      describe_answer(wait, "the lock of ", words, awaited);
      awaited.more = true;  // the rank that holds the lock
      return;
    case WindowWait::Kind::answer:
      return describe_answer(wait, "operations at ", words, awaited);
    case WindowWait::Kind::thread:
      words.add("another thread, which locks ");
      add_rank(words, wait.window, wait.window.rank_of(wait.target));
      words.add(" on ");
      return add_window(words, wait.window);
    case WindowWait::Kind::posts:
      return describe_posts(wait, words, awaited);
    case WindowWait::Kind::completes:
      return describe_completes(wait, words, awaited);
  }
}

void name_communicator(Window& window) {
  Communicator& comm = *window.comm;
  comm.is_of_window = true;
  if (window.name[0])
    std::snprintf(comm.name, sizeof comm.name, "window %.*s",
                  static_cast<int>(sizeof comm.name - sizeof "window "), window.name);
  else
    std::snprintf(comm.name, sizeof comm.name, "a window of %d rank%s without a name",
                  window.ranks(), window.ranks() == 1 ? "" : "s");
}

}  // namespace baton::window
