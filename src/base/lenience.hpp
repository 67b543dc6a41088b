// What Baton accepts although the standard does not define it, since the libraries that programs
// come from do: docs/from-another-mpi.md. world/portability.hpp names it under `check`.
#pragma once

namespace baton {

enum class Lenience : unsigned char {
  none,
  text_reduction,
  address_logic,
  no_type,
  unset_attribute,
  detached_memory,
  null_request_outside,
  byte_accumulate,
  empty_grid,
};

}  // namespace baton
