// These functions write the launcher's reports to standard error. Nothing here throws or ends the
// process: a job's result does not depend on whether its reports could be written.
#pragma once

#include <string>
#include <string_view>

#include "machine/placement.hpp"

namespace baton::launch {

// Returns the name of the file of one part of a report, a host or a job: %h stands for the part,
// which else is inserted before the suffix: stats.json becomes stats.HOST.json.
std::string file_of_part(const std::string& name, const std::string& part);

// Writes to standard error, whether anybody reads it or not.
void report(std::string_view text);
// From now on "mpiexec: TEXT" is "mpiexec PLACE: TEXT", since other mpiexecs report on the same
// job, or on others of its family.
void report_from(const std::string& place);
// Reports "mpiexec: TEXT".
void complain(const std::string& text);

// From now on reports are written in the background, so that a reader of standard error that stops
// delays nobody (run/outlet.hpp). It is for processes that watch others.
void report_in_background();

// Returns "rank 3 on core 5", or "rank 3" when it was not bound to one core.
std::string rank_text(int rank, const machine::Placement& placement);

}  // namespace baton::launch
