// Shapes whose bytes ascend: each run begins where the one before ends, or behind that, as the
// filetypes of files must. Then a packed position and an address determine each other, which takes
// steps by the depth of the shape and searches in its lists, not visits to all of its runs. It is
// called by file/.
#pragma once

#include <cstdint>

#include "datatype/shape.hpp"

namespace baton::datatype {

// These are the addresses, from the origin, of the first byte and of the one behind the last.
// Without bytes both are 0. `ascends` says whether the bytes ascend; the addresses mean nothing
// otherwise.
struct AddressSpan {
  std::int64_t first = 0;
  std::int64_t end = 0;
  bool ascends = true;
};
AddressSpan span_of(const Shape* shape);

// These are for shapes that ascend. They return the address, from the origin, of a packed byte, and
// how many packed bytes lie before an address.
std::int64_t address_at(const Shape* shape, std::int64_t position);
std::int64_t bytes_before(const Shape* shape, std::int64_t address);

// This is a run of bytes; where it lies is counted from wherever the user of the list says.
struct ByteRun {
  std::int64_t offset;
  std::int64_t bytes;
};

// Lists the runs in which the packed bytes [position, position + bytes) of a shape lie that repeats
// without end, `extent` bytes apart, as long as there is space. Runs that adjoin are one. Returns
// how many runs there are, and sets `*listed` to the bytes in them. The shape need not ascend.
int list_runs(const Shape* shape, std::int64_t extent, std::int64_t position, std::int64_t bytes,
              ByteRun* runs, int space, std::int64_t* listed);

}  // namespace baton::datatype
