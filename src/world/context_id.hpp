// Context ids: agreed by the ranks that will use one, from what each has free; given back on free.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "message/context.hpp"

namespace baton::world {

// Ids with their planes: id * plane_count + plane. 0 is the world's, 1 self's, 2 that of agreements
// among groups that have no communicator yet.
inline constexpr std::uint32_t world_context = 0;
inline constexpr std::uint32_t self_context = 1;
inline constexpr std::uint32_t groups_context = 2;
inline constexpr std::uint32_t context_ids_max = 65536;

// Agrees with the ranks of `context` (whose `tag` must be free for it) on an id that all have free.
// MPI_ERR_OTHER when none is left, explained.
Error agree_context_id(const message::Context& context, std::int32_t tag, std::uint32_t* id);

void free_context_id(std::uint32_t id);
void reset_context_ids();

}  // namespace baton::world
