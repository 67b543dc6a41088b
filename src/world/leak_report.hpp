// The setting leak_report names the objects that the program made and did not free. It is called at
// the end of the world model and of the last session.
#pragma once

namespace baton::world {

// Names the live handles of each kind on standard error, in one piece; it is silent when there are
// none. `end` is the procedure that ends the use of the library.
void report_leaks(const char* end);

}  // namespace baton::world
