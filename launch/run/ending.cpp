#include "launch/run/ending.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <cstring>

namespace baton::launch {

namespace {

using lockfree::AbortCause;
using lockfree::Phase;

std::string signal_text(int signal) {
  const char* name = ::sigdescr_np(signal);
  std::string text = name ? name : "unknown";
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z' && !(text[1] >= 'A' && text[1] <= 'Z'))
    text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return fmt::format("{} (signal {})", text, signal);
}

Verdict aborted(const Ended& ended) {
  const int code = (ended.abort_code & 0xff) ? ended.abort_code & 0xff : 1;
  if (ended.abort_cause == AbortCause::program)
    return {fmt::format("called MPI_Abort with code {}", ended.abort_code), code};
  if (ended.abort_cause == AbortCause::error)
    return {"ended the job after an error that no error handler returned (it told which above)",
            code};
  return {"ended the job", code};
}

}  // namespace

int severity(const Ended& ended) {
  if (ended.phase == Phase::aborted) return 3;
  if (WIFSIGNALED(ended.wait_status)) return 2;
  return 1;
}

Verdict judge(const Ended& ended) {
  if (ended.phase == Phase::aborted) return aborted(ended);
  const int code = ending_code(ended.wait_status);
  if (code != 0) {
    // After MPI_Finalize nobody waits for this rank any more; the others may come to their own end.
    const bool harmless = ended.phase == Phase::finalized && !WIFSIGNALED(ended.wait_status);
    return {ending_text(ended.wait_status), code, harmless, false, !harmless};
  }
  // The status board does not say which call the rank was in.
  if (ended.phase == Phase::initialized)
    return {"ended without calling MPI_Finalize, or MPI_Session_finalize for a session it began", 1,
            false, false, true};
  Verdict verdict;
  verdict.without_init = ended.phase == Phase::unborn || ended.phase == Phase::started;
  return verdict;
}

std::string ending_text(int wait_status) {
  if (WIFSIGNALED(wait_status))
    return signal_text(WTERMSIG(wait_status)) + (WCOREDUMP(wait_status) ? ", core dumped" : "");
  int code = WEXITSTATUS(wait_status);
  std::string text = fmt::format("ended with exit code {}", code);
  // The code is of a shell that started the rank's program and passes its death by a signal on.
  if (code > 128 && code < 128 + 65 && ::sigdescr_np(code - 128))
    text += fmt::format(" (a program it started: {})", signal_text(code - 128));
  return text;
}

int ending_code(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

}  // namespace baton::launch
