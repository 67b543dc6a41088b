#include "platform/crash.hpp"

#include <signal.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "base/report.hpp"
#include "base/settings.hpp"
#include "platform/call_stack.hpp"
#include "platform/device/device_memory.hpp"
#include "platform/device/loader_watch.hpp"
#include "platform/unreadable.hpp"

namespace baton::platform {

namespace {

constexpr int told[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
constexpr int frames_told_max = 12;
constexpr int search_depth_max = 1 << 18;  // guess: for a recursion that overflowed the stack
constexpr unsigned patience_seconds = 2;

// relaxed, both, everywhere: a handler runs in the thread whose data it reads; nothing depends on
// their order.
std::atomic<int> own_rank{-1};  // -1: crashes are not reported
std::atomic<int> crash_signal{0};

int rank_told() {
  return own_rank.load(std::memory_order_relaxed);
}
alignas(16) char own_stack[64 << 10];  // so that stack overflows are reported, too

const char* words_of(int number) {
  switch (number) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "floating point exception";
    case SIGILL:
      return "illegal instruction";
    default:
      return "aborted";
  }
}

const void* place_of_crash(const void* context) {
  [[maybe_unused]] const auto& machine = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  return nullptr;
#endif
}

// This text grows in a buffer on one stack, without allocation.
struct Text {
  char text[4096];
  std::size_t length = 0;
  __attribute__((format(printf, 2, 3))) void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int more = std::vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    if (more > 0 && length + static_cast<std::size_t>(more) < sizeof text)
      length += static_cast<std::size_t>(more);
  }
  void print() const { write_report(text, length); }
};

const char* last_part(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash ? slash + 1 : path;
}

void add_frame(Text& text, const void* address) {
  const CodePlace place = code_place(address);
  text.add("baton: rank %d:   ", rank_told());
  if (place.function) text.add("%s+0x%zx in ", place.function, place.function_offset);
  if (place.file)
    text.add("%s+0x%zx\n", last_part(place.file), place.file_offset);
  else
    text.add("%p\n", address);
}

// Returns words on the devices of another maker, if this program has loaded the library of one.
const char* words_of_other_maker() {
  char path[PATH_MAX];
  if (find_loaded("libamdhip64.so", path, sizeof path))
    return "Baton does not reach memory of AMD's devices, whose library (libamdhip64.so) this "
           "program has loaded; copy the data to host memory before the call, or let a plug-in "
           "copy it (docs/other-devices.md)";
  if (find_loaded("libze_loader.so", path, sizeof path))
    return "Baton does not reach memory of Intel's devices, whose library (libze_loader.so) this "
           "program has loaded; copy the data to host memory before the call, or let a plug-in "
           "copy it (docs/other-devices.md)";
  return nullptr;
}

// Why a buffer that looks like device memory could not be used, and what to do.
const char* words_of_device_memory() {
  if (!device_memory.driver())
    if (const char* words = words_of_other_maker()) return words;
  if (settings.device == 0)
    return "BATON_DEVICE=0 has switched buffers in device memory off; unset it";
  if (!device_memory.driver())
    return "Baton reaches memory of NVIDIA's devices alone, by the driver (libcuda.so.1 of CUDA 12 "
           "or later) that the program has loaded, and has found none; copy the data to host "
           "memory before the call";
  return "where device memory may lie is said in docs/device-memory.md; elsewhere, and where the "
         "program reads or writes it itself, copy the data to host memory first";
}

void add_kind_of_place(Text& text, int number, const siginfo_t& info) {
  if (number != SIGSEGV || info.si_code != SEGV_ACCERR) return;
  const std::size_t bytes = unreadable_reservation(info.si_addr);
  if (bytes == 0) return;
  text.add(
      "baton: rank %d: the address lies in %zu MiB that are reserved and that no processor may "
      "read: it looks like device memory. %s\n",
      rank_told(), bytes >> 20, words_of_device_memory());
}

void unblock(int number) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, number);
  ::pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

// Ends the process when the report hangs: the unwinder and the dynamic linker may wait for locks
// that the crash has left taken. This handler may run in any thread.
void give_up(int) {
  const int number = crash_signal.load(std::memory_order_relaxed);
  ::signal(number, SIG_DFL);
  unblock(number);
  ::raise(number);
}

void tell(int number, siginfo_t* info, void* context) {
  if (rank_told() < 0) return;
  crash_signal.store(number, std::memory_order_relaxed);
  ::signal(SIGALRM, give_up);
  unblock(SIGALRM);  // programs that wait for SIGALRM with sigwait() block it
  ::alarm(patience_seconds);
  Text text;
  text.add("baton: rank %d: %s (signal %d)", rank_told(), words_of(number), number);
  if (info->si_code > 0 && number != SIGABRT) text.add(" at address %p", info->si_addr);
  text.add(", process %d\n", static_cast<int>(::getpid()));
  add_kind_of_place(text, number, *info);
  text.print();  // this part is printed whatever happens next

  text.length = 0;
  const void* frames[64];
  const int count = call_stack(frames, 64);
  int first = 0;  // the first frame behind the handler
  while (first < count && frames[first] != place_of_crash(context)) ++first;
  if (first == count) first = 0;
  const char* procedure = exported_function_under_way(search_depth_max);
  text.add("baton: rank %d: %s%s; it was here (addr2line -e FILE 0xOFFSET gives lines):\n",
           rank_told(), procedure ? "in " : "outside MPI",
           procedure ? procedure + (procedure[0] == 'P') : "");
  for (int i = first; i < count && i < first + frames_told_max; ++i) add_frame(text, frames[i]);
  text.print();
  ::alarm(0);
}

// The signal has its default action again, so the faulting instruction faults again, with the
// program's state in the core file. The kernel has reset the action, but not where a handler that
// was installed later calls this one as the former action (Go's does). There this handler resets
// it, so that the process ends and the report does not repeat.
void on_crash(int number, siginfo_t* info, void* context) {
  tell(number, info, context);
  ::signal(number, SIG_DFL);
  if (info->si_code <= 0) ::raise(number);  // the signal was sent, so it would not come again
}

bool is_action(int number, void (*handler)(int, siginfo_t*, void*)) {
  struct sigaction action {};
  if (::sigaction(number, nullptr, &action) != 0) return false;
  if (!handler) return !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_DFL;
  return (action.sa_flags & SA_SIGINFO) && action.sa_sigaction == handler;
}

}  // namespace

void tell_crashes(int rank) {
  own_rank.store(rank, std::memory_order_relaxed);
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_DISABLE)) {
    stack = {};
    stack.ss_sp = own_stack;
    stack.ss_size = sizeof own_stack;
    ::sigaltstack(&stack, nullptr);
  }
  for (int number : told) {
    if (!is_action(number, nullptr)) continue;
    struct sigaction action {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | static_cast<int>(SA_RESETHAND);
    ::sigaction(number, &action, nullptr);
  }
}

void stop_telling_crashes() {
  for (int number : told)
    if (is_action(number, on_crash)) ::signal(number, SIG_DFL);
  stack_t stack{};
  if (::sigaltstack(nullptr, &stack) == 0 && stack.ss_sp == own_stack) {
    stack.ss_flags = SS_DISABLE;
    ::sigaltstack(&stack, nullptr);
  }
  own_rank.store(-1, std::memory_order_relaxed);
}

void forget_crashes() {
  own_rank.store(-1, std::memory_order_relaxed);
}

}  // namespace baton::platform
