#include "world/context_id.hpp"

#include <bit>
#include <cstring>

#include "world/agree/agree.hpp"

namespace baton::world {

namespace {

constexpr std::uint32_t window_words = 64;  // ids agreed on in one round: 4096
constexpr std::uint32_t words = context_ids_max / 64;
std::uint64_t free_ids[words];

}  // namespace

void reset_context_ids() {
  std::memset(free_ids, 0xff, sizeof free_ids);
  free_ids[0] &= ~std::uint64_t{7};  // world_context, self_context, groups_context
}

Error agree_context_id(const message::Context& context, std::int32_t tag, std::uint32_t* id) {
  for (std::uint32_t window = 0; window < words; window += window_words) {
    std::uint64_t common[window_words];
    std::memcpy(common, free_ids + window, sizeof common);
    if (Error error = agree_and(context, tag, common, window_words)) return error;
    for (std::uint32_t i = 0; i < window_words; ++i) {
      if (common[i] == 0) continue;
      auto bit = static_cast<std::uint32_t>(std::countr_zero(common[i]));
      free_ids[window + i] &= ~(std::uint64_t{1} << bit);
      *id = (window + i) * 64 + bit;
      return MPI_SUCCESS;
    }
  }
  return fail(MPI_ERR_OTHER, "all %u context ids are in use; free communicators", context_ids_max);
}

void free_context_id(std::uint32_t id) {
  free_ids[id / 64] |= std::uint64_t{1} << (id % 64);
}

}  // namespace baton::world
