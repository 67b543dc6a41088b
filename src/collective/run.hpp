// This is a collective under way on this rank: its algorithm, the messages it has begun, its memory
// and its first error. Algorithms use it; form.cpp makes, resumes and ends it.
// Invariant: one thread at a time uses a run; for a blocking call the caller, else the thread that
// makes progress.
#pragma once

#include <cstdint>
#include <utility>

#include "collective/call.hpp"
#include "collective/call_number.hpp"
#include "collective/on_device.hpp"
#include "collective/task.hpp"
#include "lockfree/room.hpp"
#include "message/core/engine.hpp"
#include "message/core/loss.hpp"
#include "message/core/wait.hpp"

namespace baton::collective {

struct Checking;
using lockfree::Round;
// Some rounds of a room in a row, as many as a call takes.
using Rounds = lockfree::Room<lockfree::Hardware>::Row;

class Run {
 public:
  Run() = default;
  template <class Make>
  explicit Run(Make&& make) : call(make()) {}
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { clear(); }

  // Returns whether the call's data is host memory for certain: then nobody need ask.
  bool is_host() const { return call.comm->collective.is_host(); }
  // ---- for algorithms: begin, then await all ----
  // These begin messages between the ranks of a context. A failure is the run's error; the others
  // go on. A receive may be looked at until another message is begun; null without memory.
  void send(const message::Context& context, const void* buffer, std::int64_t count, Datatype& type,
            int rank);
  const message::Request* receive(const message::Context& context, void* buffer, std::int64_t count,
                                  Datatype& type, int rank);
  // `co_await run.all()` waits until everything begun has completed.
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

  // `co_await run.until(ready)` waits until `ready()` is true; it is called again and again. It
  // looks at memory that other ranks write; with `until_progress`, at values that this rank's
  // progress changes.
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
      message::wait_until([this] { return ready() || run.is_cut_off(); },
                          [this] { return run.subject(this); });
      if (alone) message::engine.watches_memory = false;
      return !run.cut_off_;
    }
    void await_suspend(std::coroutine_handle<> suspended) {
      run.suspended_ = suspended;
      run.condition_ = [](void* self) { return static_cast<AwaitUntil*>(self)->ready(); };
      run.condition_state_ = this;
      run.add_missing_ = add_missing;
      run.looks_at_memory_ = at_memory;
    }
    // Adds the ranks that have not yet written, where `Ready` knows them.
    static void add_missing(const void* self, lockfree::AwaitedRanks& missing) {
      if constexpr (requires(const Ready& known) { known.add_missing(missing); })
        static_cast<const AwaitUntil*>(self)->ready.add_missing(missing);
    }
    // Returns whether all ranks wait for each other, where `Ready` knows that.
    bool is_meeting() const {
      if constexpr (requires { ready.is_meeting; }) return ready.is_meeting;
      return false;
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

  // Returns whether what is awaited in memory will never come, since a rank is lost or the
  // communicator is revoked: the run has the error, and its algorithm is not resumed any more.
  bool is_cut_off() { return BATON_UNLIKELY(message::has_lost_peers()) && cut_off_if_broken(); }
  // Returns whether everything begun has completed.
  bool all_complete();
  // Returns how many messages of a kind, longer than `bytes`, have not completed.
  int under_way(message::RequestKind kind, std::int64_t bytes);
  bool is_blocking() const { return blocking_; }
  // If false, the run awaits what other ranks write to memory.
  bool awaits_progress() const { return !condition_ || !looks_at_memory_; }

  // Returns the room where the run's ranks meet: the communicator's room, or its own if the call is
  // persistent.
  world::RoomView& room() { return *room_; }

  // The call of which another is a step, and its room.
  struct Whole {
    Call call{};
    world::RoomView* room = nullptr;
    const Whole* outermost = nullptr;
  };
  // Makes `step` the run's call, a step of the one before, which `whole` keeps until leave_step.
  // Steps use the rooms of their own communicators, and may have steps themselves.
  void enter_step(const Call& step, Whole& whole);
  void leave_step(const Whole& whole);
  // Returns the call of the program, whichever step of it is under way.
  const Call& program_call() const { return whole_ ? whole_->call : call; }

  // Copies typed data within this rank; the signatures match.
  void copy(const void* from, std::int64_t from_count, Datatype& from_type, void* to,
            std::int64_t to_count, Datatype& to_type);
  // Returns space for `count` elements of a type, wherever its data lies around the address; it
  // lives until the run ends. Null without memory, and the run has the error.
  void* scratch(std::int64_t count, const Datatype& type);
  // Returns memory that lives until the run ends; null without memory, and the run has the error.
  void* take(std::size_t bytes);

  // Sets the tag of messages begun from now on, and returns the tag before.
  std::int32_t change_tag(std::int32_t tag) { return std::exchange(tag_, tag); }

  void note(Error error) {
    if (error && !error_) error_ = error;
  }
  Error error() const { return error_; }
  // Sets the run's error with its explanation, which lives as long as the run.
  void refuse(Error error, const char* words) {
    note(fail(error, "%s", words));
    refusal_ = words;
  }
  // Reports that another rank's call has another length than ours; `theirs` is -1 where that rank
  // has not told it.
  void refuse_length(int rank, std::int64_t theirs, std::int64_t ours);
  // Returns the explanation of `refuse`, or null.
  const char* refusal() const { return refusal_; }

  // Returns the subject by which a long wait for the run is reported: what a blocking call awaits
  // is `awaits`.
  template <class Await>
  message::WaitSubject subject(const Await* awaits) const {
    return {message::WaitSubject::Kind::collective,
            this,
            0,
            Await::add_missing,
            awaits,
            nullptr,
            awaits->is_meeting()};
  }
  // Returns the subject of a run that may be suspended.
  message::WaitSubject subject() const {
    return {message::WaitSubject::Kind::collective, this, 0, condition_ ? add_missing_ : nullptr,
            condition_state_};
  }
  // Returns the number of the call on its communicator.
  CallNumber number() const;
  // Adds the ranks to which or from which messages are under way.
  void add_partners(lockfree::AwaitedRanks& partners) const;

  // ---- for the forms ----

  // Takes in `call`. `outlives_call`: the program may change its arrays of counts and displacements
  // afterwards. Returns false without memory, and the run has the error.
  bool take_in(bool outlives_call);
  // Prepares the run before its algorithm is made, also when it runs again.
  void prepare(std::int32_t tag, bool blocking);
  // Begins; a blocking call also ends here. Both return true when the run has ended.
  bool begin(Task algorithm);
  bool advance();  // goes on as far as it can
  // Makes the run as if it were new.
  void clear();

  Call call{};                          // the call to be done
  const Checking* checking = nullptr;   // set while the ranks compare their calls
  message::Request* visible = nullptr;  // the program's request; null in a blocking call
  Run* next = nullptr;                  // in the list of runs under way, or of spare ones
  bool by_messages = false;             // the call goes by messages alone, see device_data.hpp
  OnDevice on_device;
  world::DeviceHabit device_habit;  // of a persistent call

 private:
  // This is a message under way; its memory is used again.
  struct Message {
    message::Request request;
    Message* next;
    Process partner;
  };
  // This is memory beyond the run's own, in the order in which it is taken, and taken again.
  struct Chunk {
    Chunk* next;
    std::size_t bytes;
  };
  struct Mark {
    std::size_t used = 0;
    Chunk** chunks = nullptr;  // where the next one is linked
  };
  static constexpr std::size_t own_bytes = 1536;  // guess: two frames and two messages

  bool wait_or_look();
  BATON_COLD bool cut_off_if_broken();
  BATON_COLD bool cut_off_by(Error error);
  void wait_for_messages();
  BATON_COLD void* take_on_device(std::size_t bytes);
  Message* new_message(Process partner);
  void retire(Message** link);
  bool look_up_types(Blocks& blocks);
  bool keep_arrays(Blocks& blocks);

  world::RoomView* room_ = nullptr;
  const Whole* whole_ = nullptr;  // of the program's call while a step of it is under way
  std::coroutine_handle<> suspended_;
  bool (*condition_)(void*) = nullptr;  // null: waits until everything begun has completed
  void* condition_state_ = nullptr;
  void (*add_missing_)(const void*, lockfree::AwaitedRanks&) = nullptr;  // for condition_state_
  bool looks_at_memory_ = false;
  bool cut_off_ = false;
  Task::Handle algorithm_;
  Message* begun_ = nullptr;  // messages not yet known to be complete
  Message* spare_ = nullptr;
  std::int32_t tag_ = 0;
  bool blocking_ = false;
  Error error_ = MPI_SUCCESS;
  const char* refusal_ = nullptr;
  Chunk* chunks_ = nullptr;
  Mark taken_{0, &chunks_};
  Mark kept_{0, &chunks_};  // memory of the call itself, with which a new start begins
  alignas(16) char own_[own_bytes];
};

}  // namespace baton::collective
