// What Baton accepts although the standard does not define it, since the other libraries that programs
// come from do. With the setting `check` each kind is named once a process. Called by floors 8 to 10.
#pragma once

#include "base/cache_line.hpp"

namespace baton {

// `what` is a string that lives as long as the process; its address tells kinds apart.
BATON_COLD void note_not_portable(const char* what);

}  // namespace baton
