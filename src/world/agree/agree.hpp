// Small agreements between the ranks of a context, over point-to-point: what communicators need
// before collectives exist. Every rank of the context calls with the same arguments; `tag` is one
// of the library's own (negative) and keeps agreements apart.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/context.hpp"

namespace baton::world {

// The library's own tags; MPI_ANY_TAG and MPI_PROC_NULL stay clear.
inline constexpr std::int32_t agreement_tag = -16;

// all[i] = rank i's `mine`, for every rank; `bytes` each. At most log2(size) rounds (Bruck et al.,
// "Efficient algorithms for all-to-all communications in multiport message-passing systems").
Error agree_allgather(const message::Context& context, std::int32_t tag, const void* mine,
                      std::int64_t bytes, void* all);

// values[i] = the bitwise and of all ranks' values[i].
Error agree_and(const message::Context& context, std::int32_t tag, std::uint64_t* values,
                int count);

}  // namespace baton::world
