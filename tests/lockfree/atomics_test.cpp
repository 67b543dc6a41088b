// The checker checked: litmus tests whose outcomes the C++ memory model fixes. Each behavior that
// hardware or compiler may show must be found, each one that an order forbids must not.
#include "lockfree/atomics.hpp"

#include <algorithm>

#include "tests/lockfree/model/cases.hpp"

namespace baton::model {
namespace {

using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using Word = Model::Atomic<std::uint64_t>;

struct Shared {
  Word x, y, z;
  char payload[64];
};

constexpr std::uint64_t unknown = 99;
std::uint64_t seen[4];

// Both threads store, then load what the other stores.
template <bool first_fences, bool second_fences>
void store_buffering(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    shared.x.store(1, memory_order_release);
    if (first_fences) Model::full_fence();
    seen[0] = shared.y.load(memory_order_acquire);
  });
  stage.thread([&] {
    shared.y.store(1, memory_order_release);
    if (second_fences) Model::full_fence();
    seen[1] = shared.x.load(memory_order_acquire);
  });
  stage.finally([] { check(seen[0] + seen[1] > 0, "both saw nothing"); });
}
TEST(checker, finds_both_zero_in_store_buffering_without_fences) {
  expect_fails(store_buffering<false, false>, "both saw nothing");
}
TEST(checker, finds_both_zero_in_store_buffering_with_one_fence) {
  expect_fails(store_buffering<true, false>, "both saw nothing");
}
TEST(checker, finds_no_both_zero_in_store_buffering_with_two_fences) {
  expect_holds(store_buffering<true, true>);
}
TEST(checker, finds_no_both_zero_when_one_side_fences_everywhere) {
  expect_holds([](Stage& stage) {
    auto& shared = stage.shared<Shared>();
    stage.thread([&] {
      shared.x.store(1, memory_order_release);
      seen[0] = shared.y.load(memory_order_relaxed);
    });
    stage.thread([&] {
      shared.y.store(1, memory_order_relaxed);
      fence_everywhere();
      seen[1] = shared.x.load(memory_order_relaxed);
    });
    stage.finally([] { check(seen[0] + seen[1] > 0, "both saw nothing"); });
  });
}

// Payload, then a flag; the reader waits for the flag.
template <std::memory_order store_order, std::memory_order load_order>
void message_passing(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    char text[8] = "hello";
    Model::store_payload(shared.payload, text, sizeof text);
    shared.x.store(1, store_order);
  });
  stage.thread([&] {
    while (shared.x.load(load_order) == 0) pause();
    char text[8];
    Model::load_payload(text, shared.payload, sizeof text);
    check(text[0] == 'h', "the payload is not there");
  });
}
TEST(checker, passes_a_message_with_release_and_acquire) {
  expect_holds(message_passing<memory_order_release, memory_order_acquire>);
}
TEST(checker, finds_the_race_of_a_relaxed_flag_store) {
  expect_fails(message_passing<memory_order_relaxed, memory_order_acquire>, "data race");
}
TEST(checker, finds_the_race_of_a_relaxed_flag_load) {
  expect_fails(message_passing<memory_order_release, memory_order_relaxed>, "data race");
}

// Two atomic stores; the reader looks at them in the other order.
template <std::memory_order order>
void two_words(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    shared.x.store(1, memory_order_relaxed);
    shared.y.store(1, order);
  });
  stage.thread([&] {
    seen[0] = shared.y.load(memory_order_acquire);
    seen[1] = shared.x.load(memory_order_relaxed);
  });
  stage.finally([] { check(seen[0] == 0 || seen[1] == 1, "the second store was seen first"); });
}
TEST(checker, sees_relaxed_stores_out_of_order) {
  expect_fails(two_words<memory_order_relaxed>, "seen first");
}
TEST(checker, never_sees_a_release_store_before_what_precedes_it) {
  expect_holds(two_words<memory_order_release>);
}

TEST(checker, never_reads_one_word_backwards) {
  expect_holds([](Stage& stage) {
    auto& shared = stage.shared<Shared>();
    stage.thread([&] {
      shared.x.store(1, memory_order_relaxed);
      shared.x.store(2, memory_order_relaxed);
    });
    stage.thread([&] {
      seen[0] = shared.x.load(memory_order_relaxed);
      seen[1] = shared.x.load(memory_order_relaxed);
    });
    stage.finally([] { check(seen[0] <= seen[1], "an older value after a newer one"); });
  });
}

// Independent readers of independent writers may disagree unless they fence.
template <bool fences>
void independent_readers(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] { shared.x.store(1, memory_order_release); });
  stage.thread([&] { shared.y.store(1, memory_order_release); });
  auto reader = [](Word& first, Word& second, int at) {
    seen[at] = first.load(memory_order_acquire);
    if (fences) Model::full_fence();
    seen[at + 1] = second.load(memory_order_acquire);
  };
  stage.thread([&, reader] { reader(shared.x, shared.y, 0); });
  stage.thread([&, reader] { reader(shared.y, shared.x, 2); });
  stage.finally([] {
    bool disagree = seen[0] == 1 && seen[1] == 0 && seen[2] == 1 && seen[3] == 0;
    check(!disagree, "two readers disagree");
  });
}
TEST(checker, lets_independent_readers_disagree) {
  expect_fails(independent_readers<false>, "disagree");
}
TEST(checker, lets_fencing_readers_agree) {
  expect_holds(independent_readers<true>);
}

// A chain through a third thread; the middle one adds to the word and so continues the release.
template <std::memory_order middle>
void chain(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] {
    char byte = 1;
    Model::store_payload(shared.payload, &byte, 1);
    shared.x.fetch_or(1, memory_order_release);
  });
  stage.thread([&] { shared.x.fetch_or(2, middle); });
  stage.thread([&] {
    while (shared.x.load(memory_order_acquire) != 3) pause();
    char byte;
    Model::load_payload(&byte, shared.payload, 1);
  });
}
TEST(checker, continues_a_release_through_read_modify_writes) {
  expect_holds(chain<memory_order_relaxed>);
}

TEST(checker, never_loses_an_increment) {
  expect_holds([](Stage& stage) {
    auto& shared = stage.shared<Shared>();
    for (int t = 0; t < 3; ++t)
      stage.thread([&] {
        shared.x.fetch_add(1, memory_order_relaxed);
        shared.x.fetch_add(1, memory_order_relaxed);
      });
    stage.thread([&] {
      while (shared.x.load(memory_order_relaxed) != 6) pause();
    });
  });
}
TEST(checker, finds_a_lost_increment_of_load_and_store) {
  expect_fails(
      [](Stage& stage) {
        auto& shared = stage.shared<Shared>();
        for (int t = 0; t < 2; ++t)
          stage.thread([&] {
            std::uint64_t old = shared.x.load(memory_order_relaxed);
            shared.x.store(old + 1, memory_order_relaxed);
          });
        stage.thread([&] {
          while (shared.x.load(memory_order_relaxed) != 2) pause();
        });
      },
      "nobody can go on");
}

TEST(checker, lets_a_weak_compare_exchange_fail_for_no_reason) {
  expect_fails(
      [](Stage& stage) {
        auto& shared = stage.shared<Shared>();
        stage.thread([&] {
          std::uint64_t expected = 0;
          bool done = shared.x.compare_exchange_weak(expected, 1, memory_order_relaxed,
                                                     memory_order_relaxed);
          check(done, "it failed");
        });
        stage.thread([] {});
      },
      "it failed");
}

TEST(checker, lets_one_of_two_strong_compare_exchanges_win) {
  expect_holds([](Stage& stage) {
    auto& shared = stage.shared<Shared>();
    for (int t = 0; t < 2; ++t)
      stage.thread([&, t] {
        std::uint64_t expected = 0;
        seen[t] = shared.x.compare_exchange_strong(expected, 1, memory_order_relaxed,
                                                   memory_order_relaxed);
      });
    stage.finally([] { check(seen[0] + seen[1] == 1, "not one winner"); });
  });
}

TEST(checker, knows_words_of_four_bytes_that_lie_side_by_side) {
  struct Pair {
    Model::Atomic<std::uint32_t> first, second;
  };
  expect_holds([](Stage& stage) {
    auto& pair = stage.shared<Pair>();
    set_initial(&pair.first, ~std::uint32_t{0});
    for (int t = 0; t < 2; ++t)
      stage.thread([&, t] {
        pair.first.fetch_add(1, memory_order_relaxed);
        seen[2 + t] = pair.second.fetch_sub(1, memory_order_relaxed);
        seen[t] = pair.first.fetch_add(1, memory_order_relaxed);
      });
    stage.finally([] {
      check(std::max(seen[0], seen[1]) == 2, "an addition does not wrap");
      check(seen[2] + seen[3] == ~std::uint32_t{0}, "one ran into the other's word");
    });
  });
}

// The sleeper looks at the flag before it sleeps; the waker sets it, then wakes or forgets to.
template <bool wakes>
void sleeping(Stage& stage) {
  auto& shared = stage.shared<Shared>();
  stage.thread([&] { sleep_on(&shared.x, 0); });
  stage.thread([&] {
    shared.x.store(1, memory_order_relaxed);
    if (wakes) wake_sleepers(&shared.x);
  });
}
TEST(checker, finds_the_sleeper_that_nobody_wakes) {
  expect_fails(sleeping<false>, "nobody can go on");
}
TEST(checker, wakes_a_sleeper) {
  expect_holds(sleeping<true>);
}

TEST(checker, finds_payload_overwritten_while_it_is_read) {
  expect_fails(
      [](Stage& stage) {
        auto& shared = stage.shared<Shared>();
        stage.thread([&] {
          char byte;
          Model::load_payload(&byte, shared.payload, 1);
          shared.x.store(1, memory_order_relaxed);
        });
        stage.thread([&] {
          while (shared.x.load(memory_order_acquire) == 0) pause();
          char byte = 1;
          Model::store_payload(shared.payload, &byte, 1);
        });
      },
      "data race");
}

TEST(checker, says_when_a_case_never_ends) {
  expect_fails(
      [](Stage& stage) {
        auto& shared = stage.shared<Shared>();
        stage.thread([&] {
          while (shared.x.load(memory_order_relaxed) == 0) shared.y.load(memory_order_relaxed);
        });
      },
      "does not end");
}

}  // namespace
}  // namespace baton::model
