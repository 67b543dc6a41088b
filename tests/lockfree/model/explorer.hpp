// The checker's scheduler: runs the threads of a small case over and over, each time taking another
// choice of which thread goes on and which value a load gets, until no choice is left. A state seen
// before (same memory, same knowledge and same reads of every thread) is not entered again.
// Called by the cases in tests/lockfree/*_test.cpp through atomics.hpp and cases.hpp.
// Invariant: a thread's behavior depends on what it read through the model, on nothing else.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <source_location>
#include <string>
#include <vector>

#include "tests/lockfree/model/memory.hpp"

namespace baton::model {

enum class Kind : std::uint8_t {
  load,
  store,
  add,
  bit_or,
  bit_and,
  exchange,
  compare_exchange,
  fence,
  fence_everywhere,
  pause,  // a spin loop's: goes on when something it read has a newer value
  sleep,
  wake,  // the futex
};

struct Step {
  Kind kind;
  const void* address = nullptr;
  std::memory_order order = std::memory_order_relaxed;
  std::memory_order failure_order = std::memory_order_relaxed;
  std::uint64_t operand = 0;
  std::uint64_t expected = 0;
  bool weak = false;
  std::uint8_t bytes = 8;  // of the word: what is added wraps there
  std::source_location where{};
  std::uint64_t result = 0;
  bool success = false;
};

// A place in the code under test that asks for an order, and which of its orders.
struct Site {
  std::string file;
  std::uint_least32_t line = 0, column = 0;
  bool failure_order = false;
  std::string function{};
  auto operator<=>(const Site&) const = default;
};
// That place with another order; a fence with relaxed is no fence.
struct Mutation {
  Site site;
  std::memory_order order;
};
using Sites = std::map<Site, std::memory_order>;

// What a case's setup is given.
class Stage {
 public:
  // Zeroed memory that the threads share, as in a fresh arena.
  template <class T>
  T& shared() {
    static_assert(sizeof(T) <= arena_bytes);
    return *reinterpret_cast<T*>(shared_memory());
  }
  void thread(std::function<void()> body);
  // Looks at what the threads have noted once all have ended.
  void finally(std::function<void()> body);

 private:
  static char* shared_memory();
};
using Setup = std::function<void(Stage&)>;

struct Outcome {
  std::string failure;  // empty: the case holds in every execution
  std::string trace;    // of the failed execution
  std::uint64_t executions = 0;
  std::uint64_t states = 0;
  bool complete = false;
};
Outcome explore(const Setup& setup, const Mutation* mutation = nullptr, Sites* sites = nullptr);

// For the code that runs as a thread.
std::uint64_t perform(Step& step);
void check(bool condition, const char* what);
// Where a spin loop's round begins. A round that found nothing leaves the thread as it was, so that
// `pause` forgets what the round read; without a mark, it was one load.
struct Mark {
  std::uint64_t history;
  std::size_t polled;
};
Mark mark();
void pause(Mark round);
void pause();
// What the thread has read since the mark left no trace in it but `state`.
void forget_all_but(Mark since, std::uint64_t state);
// Blocks while the word holds `expected`, until a wake; returns at once when it does not.
void sleep_on(const void* word, std::uint64_t expected);
void wake_sleepers(const void* word);
void fence_everywhere();
void plain_access(const void* address, std::size_t bytes, bool write, std::source_location where);
void set_initial(const void* word, std::uint64_t value);

}  // namespace baton::model
