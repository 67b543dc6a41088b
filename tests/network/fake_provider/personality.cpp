#include "personality.hpp"

#include <rdma/fabric.h>

#include <cstdlib>
#include <string_view>

#include "rule.hpp"

namespace fake {

namespace {

void take_word(std::string_view word, Personality& personality) {
  if (word == "loose")
    personality.loose = true;
  else if (word == "overtake")
    personality.overtake = true;
  else if (word == "blind")
    personality.blind = true;
  else if (word == "rma")
    personality.rma = true;
  else if (word == "crossing")
    personality.crossing = true;
  else if (word == "hmem" || word == "hmem_full")
    personality.hmem = true, personality.hmem_full = word == "hmem_full";
  else if (word == "no_inject")
    personality.inject_bytes = 0;
  else if (word == "rails")
    personality.interfaces = 3;
  else if (!word.empty())
    broken("FAKE_PROVIDER knows no word %.*s", static_cast<int>(word.size()), word.data());
}

}  // namespace

Personality read_personality() {
  Personality personality;
  const char* given = std::getenv("FAKE_PROVIDER");
  std::string_view words = given ? given : "";
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(','), words.size());
    take_word(words.substr(0, end), personality);
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  if (const char* seed = std::getenv("FAKE_PROVIDER_SEED"))
    personality.seed = std::strtoull(seed, nullptr, 10);
  if (personality.loose) {
    personality.parts_max = 4;
    personality.key_bytes = 4;
    personality.operations_max = 64;
    personality.receives_max = 64;
  } else {
    personality.mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  }
  return personality;
}

}  // namespace fake
