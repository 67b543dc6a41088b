// Categories are the parts of the library (base/part.hpp), a tree. Each has the variables and
// events that name it, and the parts just below it.
#pragma once

#include "base/part.hpp"

namespace baton::tool {

// Gives the numbers of what belongs to a part, in ascending order: at most `space` of them. Returns
// how many there are.
int control_variables_of(Part part, int space, int* indices);
int performance_variables_of(Part part, int space, int* indices);
int events_of(Part part, int space, int* indices);
int parts_of(Part part, int space, int* indices);

}  // namespace baton::tool
