#include "world/context_id.hpp"

#include <bit>
#include <cstring>

#include "world/agree/agree.hpp"

namespace baton::world {

namespace {

constexpr std::uint32_t window_words = 64;  // ids agreed on in one round: 4096
constexpr std::uint32_t words = context_ids_max / 64;
std::uint64_t free_ids[words];
platform::Lock lock;

// Takes an id out of the free ones; false when another thread was faster.
bool take(std::uint32_t id) {
  platform::Guard guard(lock);
  std::uint64_t bit = std::uint64_t{1} << (id % 64);
  bool was_free = free_ids[id / 64] & bit;
  free_ids[id / 64] &= ~bit;
  return was_free;
}

// An id that all have free; -1 where there is none in these words. Threads that agree at the same
// time on different communicators begin their search at different places.
std::int32_t choose(const std::uint64_t* common, std::uint32_t begin) {
  for (std::uint32_t i = 0; i < window_words; ++i) {
    std::uint32_t word = (begin + i) % window_words;
    if (common[word]) return static_cast<std::int32_t>(word * 64) + std::countr_zero(common[word]);
  }
  return -1;
}

}  // namespace

void reset_context_ids() {
  std::memset(free_ids, 0xff, sizeof free_ids);
  free_ids[0] &= ~std::uint64_t{7};  // world_context, self_context, groups_context
}

Error agree_context_id(const message::Context& context, std::int32_t tag, std::uint32_t* id) {
  std::uint32_t begin = platform::threads_multiple ? context.send_id / message::plane_count : 0;
  for (std::uint32_t window = 0; window < words;) {
    std::uint64_t common[window_words];
    {
      platform::Guard guard(lock);
      std::memcpy(common, free_ids + window, sizeof common);
    }
    if (Error error = agree_and(context, tag, common, window_words)) return error;
    std::int32_t found = choose(common, begin);
    if (found < 0) {
      window += window_words;
      continue;
    }
    *id = window * 64 + static_cast<std::uint32_t>(found);
    std::uint64_t taken = take(*id);
    if (!platform::threads_multiple) return MPI_SUCCESS;
    // Meanwhile another thread of some rank may have taken it for another communicator: then all
    // choose again, elsewhere.
    std::uint64_t all_took = taken;
    if (Error error = agree_and(context, tag, &all_took, 1)) return error;
    if (all_took) return MPI_SUCCESS;
    if (taken) free_context_id(*id);
    begin += 7;
  }
  return fail(MPI_ERR_OTHER, "all %u context ids are in use; free communicators", context_ids_max);
}

void free_context_id(std::uint32_t id) {
  platform::Guard guard(lock);
  free_ids[id / 64] |= std::uint64_t{1} << (id % 64);
}

}  // namespace baton::world
