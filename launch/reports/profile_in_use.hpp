// This finds the machine's profile, as far as a job uses it. A profile that does not fit costs a
// warning, not the job.
#pragma once

#include <string>

#include "launch/run/job.hpp"
#include "machine/machine.hpp"

namespace baton::launch {

// Looks where `named` (--profile) says, else in the usual places. Complains, once, about a profile
// that is not for this machine or cannot be read: the job then runs with the safe defaults. Where
// a family of processors is named, this process takes its shipped profile, too.
ProfileInUse find_profile(const std::string& named, const machine::Machine& machine);

// Returns lines for people: the shipped profile, and the machine's if one is in use.
std::string words_of(const ProfileInUse& profile);

}  // namespace baton::launch
