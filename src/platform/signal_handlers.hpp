// This keeps the handlers of signals by which programs crash or are ended over a call into a
// library that installs its own.
#pragma once

#include <csignal>
#include <cstddef>
#include <iterator>

namespace baton::platform {

class KeptSignalHandlers {
 public:
  KeptSignalHandlers() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      ::sigaction(signals[i], nullptr, &kept_[i]);
  }
  ~KeptSignalHandlers() {
    for (std::size_t i = 0; i < std::size(signals); ++i)
      ::sigaction(signals[i], &kept_[i], nullptr);
  }
  KeptSignalHandlers(const KeptSignalHandlers&) = delete;
  KeptSignalHandlers& operator=(const KeptSignalHandlers&) = delete;

 private:
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGINT, SIGTERM};
  struct sigaction kept_[std::size(signals)];
};

}  // namespace baton::platform
