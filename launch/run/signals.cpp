#include "launch/run/signals.hpp"

#include <initializer_list>

namespace baton::launch {

namespace {

bool is_ignored(int signal) {
  struct sigaction action {};
  return ::sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
}

}  // namespace

sigset_t heeded_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGCHLD, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
  for (int signal : {SIGHUP, SIGINT, SIGQUIT})
    if (!is_ignored(signal)) sigaddset(&set, signal);
  return set;
}

bool ends_the_job(int signal, int code) {
  if (signal == SIGQUIT) return code == SI_KERNEL;
  return signal == SIGHUP || signal == SIGINT || signal == SIGTERM;
}

}  // namespace baton::launch
