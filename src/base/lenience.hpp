// These are uses that Baton accepts although the standard does not define them, since other MPI
// libraries accept them (docs/from-another-mpi.md). Under the setting `check`,
// world/portability.hpp reports them.
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
