#include "collective/room/chains.hpp"

#include "collective/call.hpp"
#include "message/core/engine.hpp"

namespace baton::collective {

Chains chains_of(const Call& call) {
  const int ranks = call.comm->size();
  std::int64_t elements = call.in.uniform;
  if (call.kind == Kind::reduce_scatter) {
    elements = 0;
    for (int r = 0; r < ranks; ++r) elements += call.in.count(r);
  }
  const auto cpus = static_cast<int>(transport::job().cpus_usable);
  return divide_into_chains(ranks, cpus, elements, call.in.type->size);
}

}  // namespace baton::collective
