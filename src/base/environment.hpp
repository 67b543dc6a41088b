// These functions read environment variables that are no settings: the launcher's, a foreign
// launcher's, and those that hold words. Settings are read by base/settings.hpp. Invariant: in src/
// nothing else calls getenv.
#pragma once

namespace baton {

// Returns the variable's value; null when it is not set.
const char* environment_variable(const char* name);

}  // namespace baton
