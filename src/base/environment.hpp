// The environment of the process, but for the settings (base/settings.hpp), which are read there.
// Used where a variable is no setting: the launcher's, a foreign launcher's, one that holds words.
// Invariant: in src/ nothing else asks getenv.
#pragma once

namespace baton {

// Null when it is not set.
const char* environment_variable(const char* name);

}  // namespace baton
