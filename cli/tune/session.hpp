// All kinds of `baton tune` share this: their messages to people, and the place of their profile.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "machine/machine.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

void complain(const std::string& text);

std::string now_text();

// Makes the beginning of a profile of this machine.
profile::Profile new_profile(const machine::Machine& machine);

// These print that measuring goes on after so many seconds, and that it was interrupted, with the
// code to exit with.
void say_resumed(double seconds);
int say_interrupted(double seconds, double budget, const std::string& partial);

// This says where the profile is to go; an error in words where that cannot be.
struct Target {
  std::string file;
  std::string problem;
};
Target target_of(const TuneOptions& options);

// Returns the profile of the target, if it is for this machine, so that one kind of tuning puts its
// part into it; else a copy of `fresh`.
profile::Profile beside_the_others(const std::string& target, const machine::Machine& machine,
                                   const profile::Profile& fresh);

void warn_if_busy(int cpus);

}  // namespace baton::cli::tune
