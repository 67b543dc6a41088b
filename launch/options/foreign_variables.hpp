// These rows are the environment variables of other MPIs' launchers and libraries. From them come
// the options that mpiexec takes from variables, its warnings, and the table in
// docs/from-another-mpi.md.
// Invariant: the command line wins over a variable, and so does a setting of Baton's own.
#pragma once

#include <string>
#include <vector>

#include "launch/options/options.hpp"

namespace baton::launch {

// These are the options that the environment has and `given`, the command line, has not.
struct ForeignVariables {
  std::vector<std::string> options;  // as if they stood first on the command line
  std::string without_effect;        // NAME (the remedy here), ...; empty: none
};

ForeignVariables read_foreign_variables(const Options& given);

// Returns the table of all rows.
std::string foreign_variables_markdown();

}  // namespace baton::launch
