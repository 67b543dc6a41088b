#include "context.hpp"

#include <cstring>

#include "rule.hpp"

namespace fake {

void Contexts::scribble(Chance& chance, Words& words) {
  for (std::uint64_t& word : words) word = chance.next();
}

void Contexts::begin(void* context, const char* what) {
  if (!context) broken("%s without a context, which mode FI_CONTEXT2 demands", what);
  const auto address = reinterpret_cast<std::uintptr_t>(context);
  const auto above = under_way_.lower_bound(address);
  const bool overlaps_above = above != under_way_.end() && above->first < address + sizeof(Words);
  const bool overlaps_below =
      above != under_way_.begin() && std::prev(above)->first + sizeof(Words) > address;
  if (overlaps_above || overlaps_below)
    broken("%s with the context %p, which an operation under way has", what, context);
  Words& words = under_way_[address];
  scribble(chance_, words);
  std::memcpy(context, words.data(), sizeof words);
}

void Contexts::end(void* context) {
  const auto found = under_way_.find(reinterpret_cast<std::uintptr_t>(context));
  if (found == under_way_.end()) broken("the provider lost the context %p", context);
  if (std::memcmp(context, found->second.data(), sizeof found->second) != 0)
    broken("the context %p was touched while its operation was under way", context);
  // What is in there now is nobody's business.
  scribble(chance_, found->second);
  std::memcpy(context, found->second.data(), sizeof found->second);
  under_way_.erase(found);
}

}  // namespace fake
