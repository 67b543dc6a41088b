#include "tool/interface/state.hpp"

namespace baton::tool {

constinit Interface interface;

bool is_initialized() {
  std::lock_guard guard(interface.lock);
  return interface.references > 0;
}

}  // namespace baton::tool
