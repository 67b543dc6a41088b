// A fake provider of libfabric's for tests, in one library that BATON_LIBFABRIC names. It keeps all
// that the interface promises and nothing more, and ends the process of whoever breaks a rule:
// here.
#pragma once

namespace fake {

// Ends the process with one line that says what its user did wrong.
[[noreturn, gnu::format(printf, 1, 2)]] void broken(const char* format, ...);

}  // namespace fake
