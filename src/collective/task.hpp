// An algorithm of a collective is a coroutine that begins messages and awaits them, so that its
// text reads from top to bottom in all three forms. In a blocking call nothing ever suspends; else
// the thread that makes progress resumes it.
// Invariant: the frame lies in its run's memory and is never destroyed, only dropped with the run;
// so objects that live across an await must need no destructor.
#pragma once

#include <coroutine>
#include <cstddef>
#include <utility>

namespace baton::collective {

class Run;

class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  // Goes on with the algorithm that awaited the one that ends.
  struct End {
    bool await_ready() noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) noexcept;
    void await_resume() noexcept {}
  };

  Task() = default;  // an empty task

  struct promise_type {
    std::coroutine_handle<> awaiting;

    Task get_return_object() noexcept { return Task(Handle::from_promise(*this)); }
    static Task get_return_object_on_allocation_failure() noexcept { return Task(nullptr); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    End final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept {}
    template <class... Rest>
    static void* operator new(std::size_t bytes, Run& run, Rest&&...) noexcept {
      return frame_memory(run, bytes);
    }
    static void operator delete(void*) noexcept {}
  };

  // Lets one algorithm await another. If there was no memory for its frame, it is left out, and the
  // run has the error.
  bool await_ready() noexcept { return !handle_; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
    handle_.promise().awaiting = awaiting;
    return handle_;
  }
  void await_resume() noexcept {}

  // Returns the handle of the outermost algorithm, which runs until it awaits something or ends.
  Handle handle() const { return handle_; }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  static void* frame_memory(Run& run, std::size_t bytes) noexcept;
  Handle handle_ = nullptr;
};

inline std::coroutine_handle<> Task::End::await_suspend(Handle ended) noexcept {
  std::coroutine_handle<> awaiting = ended.promise().awaiting;
  return awaiting ? awaiting : std::noop_coroutine();
}

}  // namespace baton::collective
