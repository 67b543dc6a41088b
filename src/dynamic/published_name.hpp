// Names under which services publish their ports ("Name Publishing" in the MPI standard). A name is
// seen by the jobs of this user on this host, or, with the info key `scope` = job, by those of one
// family: a job and all that it and its children have spawned. Each is a file in shared memory, in
// a folder that only this user may enter. Names whose process has ended count no more. Any thread.
#pragma once

#include <string>

#include "base/error.hpp"
#include "world/info.hpp"

namespace baton::dynamic {

// Publishes a port. Errors, explained: MPI_ERR_SERVICE, the name is taken; MPI_ERR_INFO_VALUE;
// MPI_ERR_OTHER, the folder cannot be written.
[[nodiscard]] Error publish(const char* service, const Info* info, const char* port);
// Takes back a name that this process has published. Error, explained: MPI_ERR_SERVICE.
[[nodiscard]] Error unpublish(const char* service, const Info* info, const char* port);
// Finds the port of a name; `port` has MPI_MAX_PORT_NAME bytes. Names of the family come first.
// Error, explained: MPI_ERR_NAME, nobody has published it.
[[nodiscard]] Error look_up(const char* service, const Info* info, char* port);

// Takes back all names of this process, at its end.
void unpublish_all();

// Returns the name of this job's family for all its members: its first job's number.
std::string family_name();

}  // namespace baton::dynamic
