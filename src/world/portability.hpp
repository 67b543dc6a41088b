// Reports, once a job and with the setting `check`, what a program does that other libraries may
// refuse. It is called by layers 7 to 10.
#pragma once

#include "base/cache_line.hpp"
#include "base/lenience.hpp"

namespace baton {

BATON_COLD void note_not_portable(Lenience what);

}  // namespace baton
