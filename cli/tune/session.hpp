// What all kinds of `baton tune` share: how they speak to people, and where their profile lies.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/progress.hpp"
#include "machine/machine.hpp"
#include "profile/profile.hpp"

namespace baton::cli::tune {

void complain(const std::string& text);

std::string now_text();

// What a profile of this machine begins with.
profile::Profile new_profile(const machine::Machine& machine);

// That measuring goes on after so many seconds; that it was interrupted, with the code to exit
// with.
void say_resumed(double seconds);
int say_interrupted(double seconds, double budget, const std::string& partial);

// Where the profile is to go; an error in words where that cannot be.
struct Target {
  std::string file;
  std::string problem;
};
Target target_of(const TuneOptions& options);

// What the target has, if it is a profile for this machine, for one kind of tuning to put its part
// into; else `fresh`, complete.
profile::Profile beside_the_others(const std::string& target, const machine::Machine& machine,
                                   const profile::Profile& fresh);

void warn_if_busy(int cpus);

}  // namespace baton::cli::tune
