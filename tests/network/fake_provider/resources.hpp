// What the senders and receivers of a domain share: how it behaves, its chance, its memory, its way
// to other processes, and what has been done. Used by senders.hpp, receivers.hpp and domain.hpp.
#pragma once

#include "chance.hpp"
#include "completions.hpp"
#include "context.hpp"
#include "personality.hpp"
#include "region.hpp"
#include "wire.hpp"

namespace fake {

struct Resources {
  Resources();

  Personality personality;
  Chance chance;
  Contexts contexts{chance};
  Regions regions{personality, chance};
  Wire wire;
  Completions completions{personality, chance, contexts};
};

}  // namespace fake
