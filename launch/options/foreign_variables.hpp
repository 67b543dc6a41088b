// Environment variables of other MPIs' launchers and libraries, once: what mpiexec takes from them,
// what it names, and the table in docs/from-another-mpi.md are made of these rows.
// Invariant: the command line wins over a variable, and so does a setting of Baton's own.
#pragma once

#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

// What the environment says that `given`, the command line, does not.
struct ForeignVariables {
  std::vector<std::string> options;  // as if they stood first on the command line
  std::string without_effect;        // NAME (what to say here), ...; empty: none
};

ForeignVariables read_foreign_variables(const Options& given);

// The table of all rows.
std::string foreign_variables_markdown();

}  // namespace baton::launch
