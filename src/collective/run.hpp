// A collective under way on this rank: its algorithm, the messages it has begun, its memory and its
// first error. Algorithms use it; form.cpp makes, resumes and ends it.
// Invariant: one thread at a time; of a blocking call the caller's, else who makes progress.
#pragma once

#include <cstdint>
#include <utility>

#include "collective/call.hpp"
#include "collective/call_number.hpp"
#include "collective/task.hpp"
#include "lockfree/room.hpp"
#include "message/core/engine.hpp"
#include "message/core/wait.hpp"

namespace baton::collective {

struct Checking;
using lockfree::Round;
// As many in a row as a call takes.
using Rounds = lockfree::Room<lockfree::Hardware>::Row;

class Run {
 public:
  Run() = default;
  template <class Make>
  explicit Run(Make&& make) : call(make()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { clear(); }

  // ---- for algorithms: begin, then await all ----

  // Messages between the ranks of a context. What fails is the run's error; the others go on. A
  // receive may be looked at until another message is begun; null without memory.
  void send(const message::Context& context, const void* buffer, std::int64_t count, Datatype& type,
            int rank);
  const message::Request* receive(const message::Context& context, void* buffer, std::int64_t count,
                                  Datatype& type, int rank);
  // `co_await run.all()`: until everything begun has completed.
  struct AwaitAll {
    Run& run;
    bool await_ready() { return run.wait_or_look(); }
    void await_suspend(std::coroutine_handle<> suspended) {
      run.suspended_ = suspended;
      run.condition_ = nullptr;
    }
    void await_resume() {}
  };
  AwaitAll all() { return {*this}; }

  // `co_await run.until(ready)`: until `ready()` says so, which is asked again and again. It looks
  // at memory that other ranks write; by `until_progress`, at what this rank's progress changes.
  template <class Ready, bool at_memory>
  struct AwaitUntil {
    Run& run;
    Ready ready;
    bool await_ready() {
      if (BATON_LIKELY(ready())) return true;
      if (!run.blocking_) return at_memory && message::look_briefly(ready);
      if (at_memory && message::look_directly(ready)) return true;
      const bool alone = at_memory && !platform::threads_multiple;
      if (alone) message::engine.watches_memory = true;
      message::wait_until([this] { return ready(); }, [this] { return run.subject(this); });
      if (alone) message::engine.watches_memory = false;
      return true;
    }
    void await_suspend(std::coroutine_handle<> suspended) {
      run.suspended_ = suspended;
      run.condition_ = [](void* self) { return static_cast<AwaitUntil*>(self)->ready(); };
      run.condition_state_ = this;
      run.add_missing_ = add_missing;
      run.looks_at_memory_ = at_memory;
    }
    // Who has not yet written, where `Ready` knows.
    static void add_missing(const void* self, lockfree::AwaitedRanks& missing) {
      if constexpr (requires(const Ready& known) { known.add_missing(missing); })
        static_cast<const AwaitUntil*>(self)->ready.add_missing(missing);
    }
    void await_resume() {}
  };
  template <class Ready>
  AwaitUntil<Ready, true> until(Ready ready) {
    return {*this, ready};
  }
  template <class Ready>
  AwaitUntil<Ready, false> until_progress(Ready ready) {
    return {*this, ready};
  }

  // Whether everything begun has completed.
  bool all_complete();
  // How many of a kind, longer than so many bytes, have not.
  int under_way(message::RequestKind kind, std::int64_t bytes);
  bool is_blocking() const { return blocking_; }
  // Else it awaits what other ranks write to memory.
  bool awaits_progress() const { return !condition_ || !looks_at_memory_; }

  // Where its ranks meet: the communicator's room, or its own if it is persistent.
  world::RoomView& room() { return *room_; }

  // From now on `call` is a step of the program's, which is kept at `whole` and comes back by
  // leave_step. Steps have the rooms of their communicators.
  void enter_step(const Call& step, Call& whole) {
    whole = call;
    whole_ = &whole;
    call = step;
    whole_room_ = std::exchange(room_, &step.comm->room);
  }
  void leave_step() {
    call = *whole_;
    whole_ = nullptr;
    room_ = whole_room_;
  }
  // What the program called, whichever step of it is under way.
  const Call& program_call() const { return whole_ ? *whole_ : call; }

  // Copies typed data within this rank; the signatures match.
  void copy(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
            std::int64_t to_count, Datatype& to_type);
  // Room for `count` elements of a type, wherever its data lies around the address; until the run
  // ends. Null, and the run has the error, without memory.
  void* scratch(std::int64_t count, const Datatype& type);
  // Memory until the run ends; null, and the run has the error, without any.
  void* take(std::size_t bytes);

  // The tag of what is begun from now on; gives the one before.
  std::int32_t change_tag(std::int32_t tag) { return std::exchange(tag_, tag); }

  void note(Error error) {
    if (error && !error_) error_ = error;
  }
  Error error() const { return error_; }
  // The run's error, and its words, which live as long as the run.
  void refuse(Error error, const char* words) {
    note(fail(error, "%s", words));
    refusal_ = words;
  }
  // Another rank's call has another length than ours; `theirs` is -1 where it has not told.
  void refuse_length(int rank, std::int64_t theirs, std::int64_t ours);
  // Those words, or null.
  const char* refusal() const { return refusal_; }

  // What a long wait for it is told by: what it awaits, of a blocking call `awaits`.
  template <class Await>
  message::WaitSubject subject(const Await* awaits) const {
    return {message::WaitSubject::Kind::collective, this, 0, Await::add_missing, awaits};
  }
  // Of a call that is put aside, too.
  message::WaitSubject subject() const {
    return {message::WaitSubject::Kind::collective, this, 0, condition_ ? add_missing_ : nullptr,
            condition_state_};
  }
  // Which call of the communicator it is.
  CallNumber number() const;
  // The ranks that messages under way go to or come from.
  void add_partners(lockfree::AwaitedRanks& partners) const;

  // ---- for the forms ----

  // Takes in `call`. `outlives_call`: the program may change its arrays of counts and displacements
  // afterwards. False, and the run has the error, without memory.
  bool take_in(bool outlives_call);
  // Before its algorithm is made, also anew after it has ended.
  void prepare(std::int32_t tag, bool blocking);
  // Begins; a blocking call ends, too. True when it has ended.
  bool begin(Task algorithm);
  // Goes on as far as it can; true when it has ended.
  bool advance();
  // As if it were new.
  void clear();

  Call call{};                          // what is to be done
  const Checking* checking = nullptr;   // while its ranks compare what they call
  message::Request* visible = nullptr;  // the program's request; null in a blocking call
  Run* next = nullptr;                  // among those under way, or spare

 private:
  // A message under way; its memory serves the next.
  struct Message {
    message::Request request;
    Message* next;
  };
  // Memory beyond the run's own, in the order it is taken; a turn that repeats finds it again.
  struct Chunk {
    Chunk* next;
    std::size_t bytes;
  };
  struct Mark {
    std::size_t used = 0;
    Chunk** chunks = nullptr;  // where the next one hangs
  };
  static constexpr std::size_t own_bytes = 1536;  // guess: two frames and two messages

  bool wait_or_look();
  Message* new_message();
  void retire(Message** link);
  bool look_up_types(Blocks& blocks);
  bool keep_arrays(Blocks& blocks);

  world::RoomView* room_ = nullptr;
  const Call* whole_ = nullptr;  // while a step of it is under way
  world::RoomView* whole_room_ = nullptr;
  std::coroutine_handle<> suspended_;
  bool (*condition_)(void*) = nullptr;  // null: that everything begun has completed
  void* condition_state_ = nullptr;
  void (*add_missing_)(const void*, lockfree::AwaitedRanks&) = nullptr;  // of condition_state_
  bool looks_at_memory_ = false;
  Task::Handle algorithm_;
  Message* begun_ = nullptr;  // not yet known to be complete
  Message* spare_ = nullptr;
  std::int32_t tag_ = 0;
  bool blocking_ = false;
  Error error_ = MPI_SUCCESS;
  const char* refusal_ = nullptr;
  Chunk* chunks_ = nullptr;
  Mark taken_{0, &chunks_};
  Mark kept_{0, &chunks_};  // by the call itself: what a new turn begins with
  alignas(16) char own_[own_bytes];
};

}  // namespace baton::collective
