// This finds out the facts that judge.hpp judges, by trying, where that does no harm.
#pragma once

#include "cli/doctor/judge.hpp"

namespace baton::cli::doctor {

HugePages look_at_huge_pages();
Counters look_at_counters();
Limits look_at_limits();
NumaCalls look_at_numa_calls();
Installation look_at_installation();

}  // namespace baton::cli::doctor
