// Gets libfabric's offers on this machine, and those of them that this process takes.
#pragma once

#include "base/error.hpp"
#include "transport/network/choose_provider.hpp"
#include "transport/network/library.hpp"

namespace baton::transport::network {

struct TakenOffers {
  fi_info* each[rails_max] =
      {};  // the first interface, then further ones; to be given back by freeinfo
  std::uint32_t subnets[rails_max] = {};
  int count = 0;
  const char* reason = "";  // for the first, in words
};

// Asks libfabric for offers and chooses. `one_machine`: all ranks of the job are on this machine.
// Errors, explained: MPI_ERR_OTHER, MPI_ERR_NO_MEM.
[[nodiscard]] Error take_offers(const Library& library, bool one_machine, TakenOffers& taken);

}  // namespace baton::transport::network
