#include "cli/tune/session.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "base/environment.hpp"
#include "cli/print.hpp"
#include "cli/run_job.hpp"
#include "cli/sibling_read.hpp"

namespace baton::cli::tune {

void complain(const std::string& text) {
  write_error("baton tune: {}\n", text);
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
      "continuing after {:.0f} s of an interrupted measurement (--anew starts over)", seconds));
}

int say_interrupted(double seconds, double budget, const std::string& partial) {
  complain(
      fmt::format("interrupted after {:.0f} of {:.0f} s; what was measured is kept in {}, and the "
                  "same command continues",
                  seconds, budget, partial));
  return interrupted_code;
}

Target target_of(const TuneOptions& options) {
  std::string file = options.output;
  if (file.empty()) {
    const char* set = environment_variable("BATON_PROFILE");
    const bool names_file = set && *set && std::strcmp(set, "none") != 0 && !family_named(set);
    file = names_file ? set : profile::usual_file();
  }
  if (file.empty()) return {file, "neither XDG_CONFIG_HOME nor HOME is set; --output names a file"};
  struct stat folder {};
  if (::stat(file.c_str(), &folder) == 0 && S_ISDIR(folder.st_mode))
    return {file, file + " is a folder; --output names a file"};
  return {file, {}};
}

profile::Profile beside_the_others(const std::string& target, const machine::Machine& machine,
                                   const profile::Profile& fresh) {
  profile::Profile result = fresh;
  result.date = now_text();
  result.complete = true;
  if (::access(target.c_str(), F_OK) != 0) return result;
  auto there = profile::read_usable_profile(target, machine);
  if (there) return *there;
  complain(fmt::format("what it has is not kept: {}", there.error()));
  return result;
}

void warn_if_busy(int cpus) {
  if (const std::string busy = busy_text(); !busy.empty())
    complain(fmt::format(
        "{} on {} CPUs: the results are less reliable, and fewer will differ from the defaults",
        busy, cpus));
}

}  // namespace baton::cli::tune
