// Windows whose ranks delegate (window/delegate.hpp): rank 0 asks rank 1 to work on memory that it
// reaches by the kernel otherwise. Whether rank 1 answers is up to the test; if so, it does what it
// is asked for while rank 0 looks whether anybody asks itself.
#pragma once

#include "message/core/attend.hpp"
#include "tests/window/windows.hpp"
#include "transport/heap.hpp"

namespace baton::window {

struct delegating_test : windows_test {
  static constexpr std::uint64_t heap_bytes = 4 << 20;

  delegating_test() : windows_test(message::Ranks::Nodes::one, heap_bytes) {
    under_test = this;
    settings.delegation_polls = 1000;
    windows.use(kernel_reach);
    std::uint64_t addresses[Windows::count];
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      addresses[rank] = ranks.as(rank, [] { return one_sided.delegation.open(attend); });
    ranks.as(1, [&] { one_sided.delegation.note_space(LocalRank{0}, addresses[0]); });
    ranks.as(0, [&] {
      one_sided.delegation.note_space(LocalRank{1}, addresses[1]);
      // Both heaps would be one in this process (tests/message/ranks.hpp).
      partner().space = reinterpret_cast<DelegationSpace*>(addresses[1]);
    });
    let_answer(true);
  }
  ~delegating_test() {
    for (std::uint32_t rank = 0; rank < Windows::count; ++rank)
      ranks.as(rank, [] {
        one_sided.delegation.close();
        EXPECT_TRUE(transport::exported_heap.release(one_sided.delegation.own_space));
      });
  }

  // Lets rank 1 answer from now on, or no longer.
  void let_answer(bool answers) {
    ranks.as(0, [=] {
      const std::atomic<std::uint64_t>& askers = one_sided.delegation.own_space->bell.askers;
      message::attendance =
          answers ? message::Attendance{&always, play} : message::Attendance{&askers, attend};
    });
  }
  // Returns how often rank 1 has done what it was asked for since the last call of this.
  int works_done() { return std::exchange(done, 0); }
  // Returns whether rank 1 has been asked since it last looked.
  bool was_asked() {
    return ranks.as(
        1, [] { return lockfree::take_askers(one_sided.delegation.own_space->bell) != 0; });
  }

  // --- as rank 0
  static DelegationPartner& partner() { return one_sided.delegation.partners[1]; }
  Work& work() {
    return *ranks.as(0, [] { return one_sided.delegation.own_work(); });
  }

  // Lets rank 1 ask rank 0 to put a number into the memory of rank 0.
  void ask_rank_0(std::int64_t number) {
    DelegationSpace& asked = *ranks.as(0, [] { return one_sided.delegation.own_space; });
    ranks.as(1, [&] {
      Work& work = *one_sided.delegation.own_work();
      describe_work(work, windows.window(1), WorkKind::put);
      std::memcpy(work.add(windows.window(1).targets[0].address, 8), &number, 8);
      lockfree::ask(work.state, 0, asked.bell, 1);
    });
  }
  bool has_rank_0_put(std::int64_t number) {
    return std::memcmp(windows.memory(0), &number, 8) == 0 &&
           ranks.as(1, [] { return lockfree::is_done(one_sided.delegation.own_work()->state); });
  }

  // --- operations of rank 0
  Error add(std::int64_t what, std::int64_t offset = 0) {
    return windows.change(MPI_SUM, &what, nullptr, 1, MPI_INT64_T, offset);
  }
  // One that is finished, and so asked for, at once.
  Error add_now(std::int64_t what) {
    const Error error = add(what);
    return error ? error : windows.flush();
  }
  std::int64_t& number(std::int64_t offset = 0) {
    return *reinterpret_cast<std::int64_t*>(windows.memory() + offset);
  }

  std::vector<char> data = message::pattern(Windows::bytes);

  // What a rank is told to call when it is asked (window/create.cpp).
  static bool attend() {
    const bool any = one_sided.delegation.attend(one_sided.listeners);
    under_test->done += any;
    return any;
  }

 private:
  static bool play() { return under_test->ranks.step(1); }

  static inline delegating_test* under_test = nullptr;
  static inline const std::atomic<std::uint64_t> always{1};
  int done = 0;
};

}  // namespace baton::window
