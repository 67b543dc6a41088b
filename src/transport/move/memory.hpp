// Memory of a process of this node, ours or another one's, as all that move bytes between processes
// name it: by its owner and the address that it has there. It is host memory: what lies in foreign
// memory is packed into host memory first (datatype/foreign.hpp).
#pragma once

#include <cstdint>

#include "transport/arena.hpp"

namespace baton::transport {

struct Memory {
  Slot owner;
  const void* address;

  Memory behind(std::int64_t offset) const {
    return {owner, static_cast<const char*>(address) + offset};
  }
};

}  // namespace baton::transport
