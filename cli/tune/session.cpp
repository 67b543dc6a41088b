#include "cli/tune/session.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/settings.hpp"
#include "cli/sibling_read.hpp"

namespace baton::cli::tune {

void complain(const std::string& text) {
  fmt::print(stderr, "baton tune: {}\n", text);
}

Progress::Progress() : terminal_(::isatty(2) == 1) {}

void Progress::show(double seconds, double budget, const std::string& text) {
  double share = std::clamp(seconds / budget, 0.0, 1.0);
  if (terminal_) {
    constexpr int width = 30;
    auto full = static_cast<std::size_t>(share * width);
    std::string bar;
    for (std::size_t i = 0; i < width; ++i) bar += i < full ? "█" : " ";
    fmt::print(stderr, "\r\033[K[{}] {:.0f} of {:.0f} s, {}", bar, seconds, budget, text);
  } else if (seconds >= next_line_) {
    constexpr double line_every_seconds = 5;
    fmt::print(stderr, "baton tune: {:.0f} of {:.0f} s, {}\n", seconds, budget, text);
    next_line_ = seconds + line_every_seconds;
  }
  std::fflush(stderr);
}

void Progress::end() const {
  if (terminal_) fmt::print(stderr, "\r\033[K");
}

std::string now_text() {
  std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

profile::Profile new_profile(const machine::Machine& machine) {
  profile::Profile profile;
  profile.baton = BATON_VERSION;
  profile.date = now_text();
  profile.machine = profile::identity_of(machine);
  profile.machine.cma_permitted = sibling_read_error() == 0;
  return profile;
}

void say_resumed(double seconds) {
  complain(fmt::format(
      "going on after {:.0f} s of measuring that was interrupted (--anew begins anew)", seconds));
}

int say_interrupted(double seconds, double budget, const std::string& partial) {
  constexpr int interrupted_code = 130;
  complain(
      fmt::format("interrupted after {:.0f} of {:.0f} s; what was measured is kept in {}, and the "
                  "same command goes on",
                  seconds, budget, partial));
  return interrupted_code;
}

Target target_of(const TuneOptions& options) {
  std::string file = options.output;
  if (file.empty()) {
    const char* set = environment_variable("BATON_PROFILE");
    file = set && *set && std::strcmp(set, "none") != 0 ? set : profile::usual_file();
  }
  if (file.empty()) return {file, "neither XDG_CONFIG_HOME nor HOME is set; --output names a file"};
  struct stat folder {};
  if (::stat(file.c_str(), &folder) == 0 && S_ISDIR(folder.st_mode))
    return {file, file + " is a folder; --output names a file"};
  return {file, {}};
}

void warn_if_busy(int cpus) {
  double load = 0;
  constexpr double idle_load = 0.5;  // guess
  if (::getloadavg(&load, 1) == 1 && load > idle_load)
    complain(
        fmt::format("the machine is busy (load {:.1f} on {} CPUs): what follows is less sure, "
                    "and less will differ from the defaults",
                    load, cpus));
}

}  // namespace baton::cli::tune
