#include "window/elements.hpp"

#include <bit>
#include <cstring>

#include "base/failure_class.hpp"
#include "message/core/engine.hpp"
#include "platform/copy.hpp"
#include "platform/double_word.hpp"
#include "transport/node.hpp"
#include "window/describe_wait.hpp"

namespace baton::window {

using platform::DoubleWord;

const std::uint32_t atomic_sizes =
    1u << 1 | 1u << 2 | 1u << 4 | 1u << 8 | std::uint32_t{platform::has_double_words()} << 16;

Error explain_death(const Window& window) {
  if (BATON_LIKELY(!transport::job().continues)) return MPI_SUCCESS;
  for (int rank = 0; rank < window.ranks(); ++rank) {
    const Target& target = window.targets[rank];
    if (target.local_rank == not_on_this_node || !transport::has_died(target.local_rank)) continue;
    return fail(error_process_failed,
                "rank %d of the window has died, while others wait for what it may have held",
                rank);
  }
  return MPI_SUCCESS;
}

namespace {

// An accumulate of more than `atomic_elements_max` elements takes the lock from the first time on.
// Changing `atomic_changes_max` elements in short accumulates takes as long as one membarrier,
// which is the cost of going over to the lock. Guesses.
constexpr std::int64_t atomic_elements_max = 512;
constexpr std::uint32_t atomic_changes_max = 4000;

lockfree::WindowRowLayout layout_of(const Window& window) {
  return lockfree::WindowRowLayout(static_cast<std::uint32_t>(window.ranks()));
}

std::atomic<std::uint64_t>* visitors_of(const Window& window, Row& row) {
  return reinterpret_cast<std::atomic<std::uint64_t>*>(reinterpret_cast<char*>(&row) +
                                                       layout_of(window).visitors);
}

// Enters this rank among the visitors of the target's elements: a rank that forbids atomic changes
// there then waits for this rank, too.
BATON_COLD void visit(Window& window, Target& target) {
  lockfree::add_visitor(visitors_of(window, *target.row),
                        static_cast<std::uint32_t>(window.rank()));
  // ORDER window.visited: release here, acquire in has_visited; our bit, for our other threads.
  std::atomic_ref(target.visited).store(true, std::memory_order_release);
}
bool has_visited(Target& target) {
  // ORDER window.visited: acquire here, release in visit.
  return std::atomic_ref(target.visited).load(std::memory_order_acquire);
}

// Polls for something that lasts as long as a copy, or as long as its holder has no CPU; longer
// waits are reported. Where several ranks wait for a turn, only the next one polls all the time:
// the others would take the CPUs from it, so they sleep, the longer the more ranks come `before`
// them. A long wait ends with an error where a rank of the window has died, who may have been the
// holder, or before this rank.
template <class Done, class Before>
Error look_until(Done done, Before before, const WindowWait& wait) {
  constexpr int spins = 100, yields = 1000;  // guesses
  constexpr unsigned turn_us = 20;           // guess: a change from one rank to another
  message::WaitReport report;
  Error error = MPI_SUCCESS;
  for (int looks = 0; !done() && !error; ++looks) {
    const std::uint32_t ranks = before();
    if (looks < spins) {
      platform::pause_cpu();
    } else if (looks < spins + yields && ranks <= 1) {
      platform::yield_cpu();
    } else {
      report.tell(subject_of(wait));
      platform::sleep_us(turn_us * ranks);
      if (looks >= spins + yields) error = explain_death(wait.window);
    }
  }
  report.end();
  return error;
}

// Waits until no rank changes elements of the target by atomic instructions. A rank that has died
// does not: each of its changes is made or not.
void await_visitors(Window& window, Target& target) {
  auto await = [&](std::uint32_t rank) {
    Target& visitor = window.targets[rank];
    reach(window, visitor);
    const auto is_over = [&] {
      return !is_busy(visitor.row->busy) || transport::has_died(visitor.local_rank);
    };
    (void)look_until(is_over, [] { return 1u; }, {WindowWait::Kind::changes, window, target, rank});
  };
  lockfree::for_each_visitor(visitors_of(window, *target.row),
                             static_cast<std::uint32_t>(window.ranks()), await);
}

}  // namespace

BATON_COLD bool ElementHold::begin_atomically(std::int64_t elements) {
  if (elements > 1) {
    // relaxed: this count only guides a decision; threads may lose some.
    std::atomic_ref count(target_.changes);
    const std::uint32_t changes =
        count.load(std::memory_order_relaxed) + static_cast<std::uint32_t>(elements);
    const bool too_many = changes > atomic_changes_max || elements > atomic_elements_max;
    count.store(too_many ? 0 : changes, std::memory_order_relaxed);
    if (too_many) return false;
  }
  if (BATON_UNLIKELY(!has_visited(target_))) visit(window_, target_);
  return begin_atomic_change(target_.row->guard, window_.row->busy, platform::threads_multiple,
                             fence_if_needed);
}

BATON_COLD void ElementHold::await_lock() {
  const auto& lock = target_.row->elements;
  error_ = look_until([&] { return is_served(lock, number_, true); },
                      [&] { return numbers_before(lock, number_); },
                      {WindowWait::Kind::elements, window_, target_, number_});
}

// The mode of plain changes is the holder's now, if there is more than a single element.
BATON_COLD void ElementHold::leave_atomic_mode(bool lone) {
  // A single element can be changed by an atomic instruction, so it does not end the mode.
  if (lone) {
    is_atomic_ = true;
    return;
  }
  forbid_atomic_changes(target_.row->guard);
  if (message::engine.senders_fence)
    lockfree::Hardware::full_fence();
  else
    platform::membarrier_all();
  await_visitors(window_, target_);
}

namespace {

// ORDER window.element: release and acquire each, so that who sees a change sees what its origin
// did before; programs build locks and queues of these operations.
constexpr auto order = std::memory_order_acq_rel;

template <class Word>
Word load_word(const char* from) {
  Word word;
  std::memcpy(&word, from, sizeof word);
  return word;
}

// Replaces a word by `next` of its value and an operand, again until no other rank changed it in
// between. Returns the value before.
template <class Word, class Next>
BATON_INLINE Word exchange_for(Word& word, Next next) {
  // relaxed: the exchange below orders.
  Word before = std::atomic_ref(word).load(std::memory_order_relaxed);
  while (!std::atomic_ref(word).compare_exchange_weak(before, next(before), order,
                                                      std::memory_order_relaxed)) {
  }
  return before;
}

template <class Word, class Real>
BATON_INLINE Word add_real(Word& word, Real operand) {
  return exchange_for(word, [=](Word before) {
    return std::bit_cast<Word>(std::bit_cast<Real>(before) + operand);
  });
}

template <class Word>
BATON_INLINE Word change_word(const Change& change, const char* in, Word& word) {
  switch (change.kind) {
    case Change::Kind::add:
      return std::atomic_ref(word).fetch_add(load_word<Word>(in), order);
    case Change::Kind::add_real:
      if constexpr (sizeof(Word) == 8) return add_real(word, load_word<double>(in));
      if constexpr (sizeof(Word) == 4) return add_real(word, load_word<float>(in));
      break;
    case Change::Kind::replace:
      return std::atomic_ref(word).exchange(load_word<Word>(in), order);
    case Change::Kind::nothing:
      // ORDER window.element: acquire here.
      return std::atomic_ref(word).load(std::memory_order_acquire);
    case Change::Kind::kernel:
      break;
  }
  return exchange_for(word, [&](Word before) {
    change.kernel(in, &before, 1);
    return before;
  });
}

BATON_INLINE DoubleWord change_word(const Change& change, const char* in, DoubleWord& word) {
  DoubleWord before = platform::load_double_word(word);
  if (change.kind == Change::Kind::nothing) return before;
  for (;;) {
    DoubleWord after = before;
    if (change.kind == Change::Kind::replace)
      after = load_word<DoubleWord>(in);
    else
      change.kernel(in, &after, 1);
    if (platform::exchange_double_word(word, before, after)) return before;
  }
}

template <class Word>
void change_words(const Change& change, const char* in, char* place, char* old,
                  std::int64_t count) {
  constexpr std::int64_t bytes = sizeof(Word);
  for (std::int64_t i = 0; i < count * bytes; i += bytes) {
    const Word before = change_word(change, in + i, *reinterpret_cast<Word*>(place + i));
    if (old) std::memcpy(old + i, &before, bytes);
  }
}

// This is not inlined, so that shorter elements do not pay for its stack frame.
[[gnu::noinline]] void change_double_words(const Change& change, const char* in, char* place,
                                           char* old, std::int64_t count) {
  change_words<DoubleWord>(change, in, place, old, count);
}
[[gnu::noinline]] void compare_and_swap_double_word(const void* expected, const void* desired,
                                                    void* place, void* old) {
  auto before = load_word<DoubleWord>(static_cast<const char*>(expected));
  (void)platform::exchange_double_word(*static_cast<DoubleWord*>(place), before,
                                       load_word<DoubleWord>(static_cast<const char*>(desired)));
  std::memcpy(old, &before, sizeof before);
}

template <class Word>
void compare_and_swap_word(const void* expected, const void* desired, void* place, void* old) {
  Word before, after;
  std::memcpy(&before, expected, sizeof before);
  std::memcpy(&after, desired, sizeof after);
  std::atomic_ref(*static_cast<Word*>(place))
      .compare_exchange_strong(before, after, order, std::memory_order_acquire);
  std::memcpy(old, &before, sizeof before);
}

}  // namespace

void change_atomically(const Change& change, std::int64_t bytes, const char* in, char* place,
                       char* old, std::int64_t count) {
  if (bytes == 8) return change_words<std::uint64_t>(change, in, place, old, count);
  if (bytes == 4) return change_words<std::uint32_t>(change, in, place, old, count);
  if (bytes == 2) return change_words<std::uint16_t>(change, in, place, old, count);
  if (bytes == 16) return change_double_words(change, in, place, old, count);
  change_words<std::uint8_t>(change, in, place, old, count);
}

void change_plainly(const Change& change, std::int64_t bytes, const char* in, char* place,
                    char* old, std::int64_t count) {
  const auto all = static_cast<std::size_t>(bytes * count);
  if (old) platform::copy_run(old, place, all);
  switch (change.kind) {
    case Change::Kind::add:
    case Change::Kind::add_real:
    case Change::Kind::kernel:
      return change.kernel(in, place, count);
    case Change::Kind::replace:
      return platform::copy_run(place, in, all);
    case Change::Kind::nothing:
      return;
  }
}

void compare_and_swap_atomically(std::int64_t bytes, const void* expected, const void* desired,
                                 void* place, void* old) {
  if (bytes == 8) return compare_and_swap_word<std::uint64_t>(expected, desired, place, old);
  if (bytes == 4) return compare_and_swap_word<std::uint32_t>(expected, desired, place, old);
  if (bytes == 2) return compare_and_swap_word<std::uint16_t>(expected, desired, place, old);
  if (bytes == 16) return compare_and_swap_double_word(expected, desired, place, old);
  compare_and_swap_word<std::uint8_t>(expected, desired, place, old);
}

}  // namespace baton::window
