#include "tests/lockfree/model/explorer.hpp"

#include <setjmp.h>
#include <ucontext.h>

#include <cstdio>
#include <cstring>
#include <unordered_set>

namespace baton::model {

namespace {

constexpr std::size_t stack_bytes = 64 * 1024;
constexpr std::size_t steps_max = 2000;
constexpr std::uint64_t executions_max = 20'000'000;

enum class Status : std::uint8_t { ready, asleep, ended };

struct Polled {
  int location, index;
};

struct Fiber {
  ucontext_t start;
  jmp_buf at;
  std::vector<char> stack = std::vector<char>(stack_bytes);
  std::function<void()> body;
  Step* pending = nullptr;
  Status status = Status::ended;
  std::vector<Polled> polled;  // what it read, but for rounds that found nothing
  std::uint64_t history = 0;   // a hash of everything it has read, but for such rounds
  Mark round{};                // of the pending pause
  Mark last_load{};
  int spurious_failures_left = 0;
};

struct Choice {
  int taken, count;
};

struct Record {
  int thread;
  Step step;
  int location;
};

struct Explorer {
  Memory memory;
  Fiber fibers[threads_max];
  int threads = 0;
  int running = 0;
  int loading = -1;  // the thread whose last step was a load: it goes on, see run_once
  std::function<void()> final_look;
  std::vector<Choice> choices;
  std::size_t cursor = 0;
  std::unordered_set<std::uint64_t> visited;
  std::string failure;
  std::vector<Record> records;
  const Mutation* mutation = nullptr;
  Sites* sites = nullptr;
  ucontext_t scheduler_start;
  jmp_buf scheduler;
};
Explorer explorer;

void run_body(int thread) {
  explorer.fibers[thread].body();
  explorer.fibers[thread].status = Status::ended;
  explorer.fibers[thread].pending = nullptr;
  _longjmp(explorer.scheduler, 1);
}

// Lets a fiber run until it asks for its next step. The first time on a fresh stack; later without
// the system calls that swapcontext makes.
void resume(int thread, bool first) {
  explorer.running = thread;
  Fiber& fiber = explorer.fibers[thread];
  if (_setjmp(explorer.scheduler) != 0) return;
  if (!first) _longjmp(fiber.at, 1);
  getcontext(&fiber.start);
  fiber.start.uc_stack.ss_sp = fiber.stack.data();
  fiber.start.uc_stack.ss_size = fiber.stack.size();
  fiber.start.uc_link = nullptr;
  makecontext(&fiber.start, reinterpret_cast<void (*)()>(run_body), 1, thread);
  setcontext(&fiber.start);
}

void yield_to_scheduler() {
  if (_setjmp(explorer.fibers[explorer.running].at) == 0) _longjmp(explorer.scheduler, 1);
}

// Beyond the choices of this execution's prefix, hence in a state that may be new.
bool is_fresh() {
  return explorer.cursor == explorer.choices.size();
}

int choose(int count) {
  if (count == 1) return 0;
  if (is_fresh()) explorer.choices.push_back({0, count});
  return explorer.choices[explorer.cursor++].taken;
}

// The next execution: the last choice that has an alternative left takes it.
bool backtrack() {
  auto& choices = explorer.choices;
  while (!choices.empty() && choices.back().taken + 1 == choices.back().count) choices.pop_back();
  if (choices.empty()) return false;
  ++choices.back().taken;
  return true;
}

std::uint64_t state_key() {
  bool alive[threads_max] = {};
  for (int t = 0; t < explorer.threads; ++t) alive[t] = explorer.fibers[t].status != Status::ended;
  Memory& memory = explorer.memory;
  std::uint64_t key = mix(memory.key(alive), static_cast<std::uint64_t>(explorer.loading + 1));
  for (int t = 0; t < explorer.threads; ++t) {
    const Fiber& fiber = explorer.fibers[t];
    key =
        mix(mix(key, fiber.history), static_cast<std::uint64_t>(fiber.status) << 8 |
                                         static_cast<std::uint64_t>(fiber.spurious_failures_left));
    if (alive[t] && fiber.pending->kind == Kind::pause)
      for (std::size_t i = fiber.round.polled; i < fiber.polled.size(); ++i)
        key = mix(key, static_cast<std::uint64_t>(
                           memory.age(fiber.polled[i].location, fiber.polled[i].index)));
  }
  return key;
}

void note(Fiber& fiber, std::uint64_t what) {
  fiber.history = mix(fiber.history, what + 1);
}

// Without result, parameters and scope.
std::string function_name(const std::source_location& where) {
  std::string name = where.function_name();
  name.resize(name.find('('));
  return name.substr(name.find_last_of(" :") + 1);
}

std::memory_order ordered(const Step& step, bool failure) {
  std::memory_order order = failure ? step.failure_order : step.order;
  if (!explorer.sites && !explorer.mutation) return order;
  if (order == std::memory_order_relaxed) return order;
  const char* file = step.where.file_name();
  if (explorer.sites)
    explorer.sites->emplace(
        Site{file, step.where.line(), step.where.column(), failure, function_name(step.where)},
        order);
  if (!explorer.mutation) return order;
  const Site& site = explorer.mutation->site;
  bool hit = site.line == step.where.line() && site.column == step.where.column() &&
             site.failure_order == failure && site.file == file;
  return hit ? explorer.mutation->order : order;
}

bool has_newer(const Polled& polled) {
  return explorer.memory.latest(polled.location) > polled.index;
}

bool is_enabled(const Fiber& fiber) {
  if (fiber.status != Status::ready) return false;
  if (fiber.pending->kind != Kind::pause) return true;
  for (std::size_t i = fiber.round.polled; i < fiber.polled.size(); ++i)
    if (has_newer(fiber.polled[i])) return true;
  return false;
}

std::uint64_t combine(const Step& step, std::uint64_t old) {
  switch (step.kind) {
    case Kind::add:
      return (old + step.operand) & ~std::uint64_t{0} >> (64 - 8 * step.bytes);
    case Kind::bit_or:
      return old | step.operand;
    case Kind::bit_and:
      return old & step.operand;
    default:
      return step.operand;
  }
}

void do_load(int thread, Step& step, int location) {
  Memory& memory = explorer.memory;
  std::vector<int> readable;
  for (int i = memory.oldest(thread, location); i <= memory.latest(location); ++i)
    if (readable.empty() || !memory.adds_nothing(location, readable.back(), i))
      readable.push_back(i);
  int index = readable[readable.size() - 1 - choose(static_cast<int>(readable.size()))];
  step.result = memory.read(thread, location, index, ordered(step, false));
  Fiber& fiber = explorer.fibers[thread];
  fiber.last_load = {fiber.history, fiber.polled.size()};
  note(fiber, step.result);
  fiber.polled.push_back({location, index});
}

// Succeeds only on the latest value; a failure is a load of any readable value that differs.
void do_compare_exchange(int thread, Step& step, int location) {
  Memory& memory = explorer.memory;
  Fiber& fiber = explorer.fibers[thread];
  int latest = memory.latest(location);
  bool can_succeed = memory.value(location, latest) == step.expected;
  std::vector<int> failures;
  for (int i = memory.oldest(thread, location); i <= latest; ++i)
    if (memory.value(location, i) != step.expected) failures.push_back(i);
  if (can_succeed && step.weak && fiber.spurious_failures_left > 0) failures.push_back(latest);
  int taken = choose(static_cast<int>(failures.size()) + can_succeed);
  step.success = can_succeed && taken == 0;
  note(fiber, step.success);
  if (step.success) {
    step.result = memory.value(location, latest);
    memory.modify(thread, location, step.operand, ordered(step, false));
    return;
  }
  int index = failures[taken - can_succeed];
  if (memory.value(location, index) == step.expected) --fiber.spurious_failures_left;
  step.result = memory.read(thread, location, index, ordered(step, true));
  note(fiber, step.result);
  fiber.polled.push_back({location, index});
}

// Something that was read has changed: the next look sees at least the next value of one word.
void do_pause(int thread) {
  Fiber& fiber = explorer.fibers[thread];
  std::vector<Polled> newer;
  for (std::size_t i = fiber.round.polled; i < fiber.polled.size(); ++i)
    if (has_newer(fiber.polled[i])) newer.push_back(fiber.polled[i]);
  int taken = choose(static_cast<int>(newer.size()));
  explorer.memory.advance(thread, newer[taken].location, newer[taken].index + 1);
  fiber.polled.resize(fiber.round.polled);
  fiber.history = fiber.round.history;
}

// The kernel compares and queues under one lock, and both calls are full barriers for their caller.
void do_sleep(int thread, const Step& step, int location) {
  Fiber& fiber = explorer.fibers[thread];
  explorer.memory.full_fence(thread);
  int latest = explorer.memory.latest(location);
  bool sleeps = explorer.memory.value(location, latest) == step.expected;
  explorer.memory.advance(thread, location, latest);
  note(fiber, 1);
  if (sleeps) fiber.status = Status::asleep;
}
void do_wake(int thread, int location) {
  explorer.memory.full_fence(thread);
  note(explorer.fibers[thread], 2);
  for (int t = 0; t < explorer.threads; ++t) {
    Fiber& other = explorer.fibers[t];
    if (other.status == Status::asleep &&
        explorer.memory.location_of(other.pending->address) == location)
      other.status = Status::ready;
  }
}

void do_fence(int thread, const Step& step) {
  note(explorer.fibers[thread], 3);
  if (ordered(step, false) == std::memory_order_relaxed) return;
  explorer.memory.full_fence(thread);
}

void execute(int thread) {
  Fiber& fiber = explorer.fibers[thread];
  Step& step = *fiber.pending;
  Memory& memory = explorer.memory;
  int location = step.address ? memory.location_of(step.address) : -1;
  switch (step.kind) {
    case Kind::load:
      do_load(thread, step, location);
      break;
    case Kind::store:
      memory.write(thread, location, step.operand, ordered(step, false));
      note(fiber, 0);
      break;
    case Kind::add:
    case Kind::bit_or:
    case Kind::bit_and:
    case Kind::exchange:
      step.result = memory.value(location, memory.latest(location));
      note(fiber, step.result);
      memory.modify(thread, location, combine(step, step.result), ordered(step, false));
      break;
    case Kind::compare_exchange:
      do_compare_exchange(thread, step, location);
      break;
    case Kind::fence:
      do_fence(thread, step);
      break;
    case Kind::fence_everywhere:
      memory.full_fence_everywhere();
      note(fiber, 4);
      break;
    case Kind::pause:
      do_pause(thread);
      break;
    case Kind::sleep:
      do_sleep(thread, step, location);
      break;
    case Kind::wake:
      do_wake(thread, location);
      break;
  }
  explorer.records.push_back({thread, step, location});
  explorer.loading = step.kind == Kind::load ? thread : -1;
  if (fiber.status == Status::ready) resume(thread, false);
}

void fail(std::string what) {
  if (explorer.failure.empty()) explorer.failure = std::move(what);
}

// Which threads may take the next step. A load changes nothing for others and could as well come
// later, with the same values to choose from; so its thread goes on to its next step at once. Only
// a fence everywhere may come between, because it takes old values away.
int collect_enabled(int (&enabled)[threads_max]) {
  int count = 0;
  bool goes_on = explorer.loading >= 0 && is_enabled(explorer.fibers[explorer.loading]);
  for (int t = 0; t < explorer.threads; ++t) {
    const Fiber& fiber = explorer.fibers[t];
    if (is_enabled(fiber) &&
        (!goes_on || t == explorer.loading || fiber.pending->kind == Kind::fence_everywhere))
      enabled[count++] = t;
  }
  return count;
}

void run_once(const Setup& setup) {
  explorer.memory.reset();
  explorer.loading = -1;
  explorer.cursor = 0;
  explorer.threads = 0;
  explorer.final_look = nullptr;
  explorer.records.clear();
  Stage stage;
  setup(stage);
  for (int t = 0; t < explorer.threads && explorer.failure.empty(); ++t) resume(t, true);
  while (explorer.failure.empty()) {
    int enabled[threads_max], count = collect_enabled(enabled);
    bool all_ended = true;
    for (int t = 0; t < explorer.threads; ++t)
      all_ended &= explorer.fibers[t].status == Status::ended;
    if (all_ended) {
      if (explorer.final_look) explorer.final_look();
      return;
    }
    if (count == 0) return fail("nobody can go on: all who have not ended sleep or wait");
    if (explorer.records.size() > steps_max) return fail("this execution does not end");
    if (is_fresh() && !explorer.visited.insert(state_key()).second) return;
    int thread = enabled[choose(count)];
    // A sleeper that was woken has its step behind it.
    Fiber& fiber = explorer.fibers[thread];
    if (fiber.pending->kind == Kind::sleep && fiber.pending->success) {
      resume(thread, false);
    } else {
      if (fiber.pending->kind == Kind::sleep) fiber.pending->success = true;
      execute(thread);
    }
  }
}

std::string trace_text() {
  static const char* kinds[] = {
      "load",  "store",      "add",   "or",    "and", "exchange", "compare_exchange",
      "fence", "membarrier", "pause", "sleep", "wake"};
  std::string text;
  for (const Record& record : explorer.records) {
    const char* file = std::strrchr(record.step.where.file_name(), '/');
    char line[200];
    std::snprintf(line, sizeof line,
                  "  thread %d  %-16s word %2d  operand %llx  result %llx%s  %s:%u\n",
                  record.thread, kinds[static_cast<int>(record.step.kind)], record.location,
                  static_cast<unsigned long long>(record.step.operand),
                  static_cast<unsigned long long>(record.step.result),
                  record.step.success ? " (success)" : "", file ? file + 1 : "",
                  static_cast<unsigned>(record.step.where.line()));
    text += line;
  }
  return text;
}

}  // namespace

char* Stage::shared_memory() {
  return explorer.memory.arena();
}
void Stage::thread(std::function<void()> body) {
  Fiber& fiber = explorer.fibers[explorer.threads++];
  fiber.body = std::move(body);
  fiber.status = Status::ready;
  fiber.pending = nullptr;
  fiber.polled.clear();
  fiber.history = 0;
  fiber.spurious_failures_left = 1;
}
void Stage::finally(std::function<void()> body) {
  explorer.final_look = std::move(body);
}

Outcome explore(const Setup& setup, const Mutation* mutation, Sites* sites) {
  explorer.memory.begin();
  explorer.choices.clear();
  explorer.visited.clear();
  explorer.failure.clear();
  explorer.mutation = mutation;
  explorer.sites = sites;
  Outcome outcome;
  do {
    run_once(setup);
    ++outcome.executions;
    if (!explorer.failure.empty()) break;
    if (outcome.executions == executions_max) {
      fail("too many executions: make the case smaller");
      break;
    }
  } while (backtrack());
  outcome.failure = explorer.failure;
  outcome.states = explorer.visited.size();
  if (!outcome.failure.empty()) outcome.trace = trace_text();
  outcome.complete = outcome.failure.empty();
  return outcome;
}

std::uint64_t perform(Step& step) {
  explorer.fibers[explorer.running].pending = &step;
  yield_to_scheduler();
  return step.result;
}

void check(bool condition, const char* what) {
  if (condition) return;
  fail(what);
  // In a thread: it never goes on. In the final look there is nothing to leave.
  if (explorer.fibers[explorer.running].status == Status::ready) yield_to_scheduler();
}

Mark mark() {
  const Fiber& fiber = explorer.fibers[explorer.running];
  return {fiber.history, fiber.polled.size()};
}
void pause(Mark round) {
  explorer.fibers[explorer.running].round = round;
  Step step{.kind = Kind::pause};
  perform(step);
}
void forget_all_but(Mark since, std::uint64_t state) {
  Fiber& fiber = explorer.fibers[explorer.running];
  fiber.history = mix(since.history, state);
  fiber.polled.resize(since.polled);
}
void pause() {
  pause(explorer.fibers[explorer.running].last_load);
}
void sleep_on(const void* word, std::uint64_t expected) {
  Step step{.kind = Kind::sleep, .address = word, .expected = expected};
  perform(step);
}
void wake_sleepers(const void* word) {
  Step step{.kind = Kind::wake, .address = word};
  perform(step);
}
void fence_everywhere() {
  Step step{.kind = Kind::fence_everywhere};
  perform(step);
}

void plain_access(const void* address, std::size_t bytes, bool write, std::source_location where) {
  int thread = explorer.running;
  if (!explorer.memory.contains(address)) return check(false, "payload outside the arena");
  bool ordered = write ? explorer.memory.plain_write(thread, address, bytes)
                       : explorer.memory.plain_read(thread, address, bytes);
  if (ordered) return;
  char text[160];
  std::snprintf(text, sizeof text,
                "a data race: payload %s at line %u not ordered with the other side's access",
                write ? "write" : "read", static_cast<unsigned>(where.line()));
  check(false, text);
}

void set_initial(const void* word, std::uint64_t value) {
  explorer.memory.set_initial(word, value);
}

}  // namespace baton::model
