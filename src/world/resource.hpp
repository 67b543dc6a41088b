// These are the hardware resources that a rank may be restricted to, by the names that programs use
// for them (MPI 5.0, "Inquire Hardware Resource Information"): hwloc's names, as URIs. The
// functions are pure; their data is what the launcher wrote on the status board.
#pragma once

#include <cstdint>

#include "lockfree/job.hpp"

namespace baton::world {

// The resources go from the whole node to a single hardware thread.
enum class Resource : std::uint8_t { machine, package, numa_node, l3_cache, l2_cache, core, pu };
inline constexpr Resource resources[] = {
    Resource::machine,  Resource::package, Resource::numa_node, Resource::l3_cache,
    Resource::l2_cache, Resource::core,    Resource::pu};

// Returns a name such as "hwloc://NUMANode".
const char* resource_uri(Resource resource);

// Finds a resource by URI or by its last part alone; returns false when there is none of this name.
bool find_resource(const char* name, Resource* found);

// Returns the number, in the job, of the one instance that a rank with this place uses; negative
// when it uses several, or it is not known.
std::int32_t instance_of(const lockfree::RankPlace& place, Resource resource);

// Finds the largest resource whose instances divide these ranks: some instance has ranks, but not
// all (MPI_COMM_TYPE_HW_UNGUIDED). `instance(i, resource)` gives rank i's; returns false if there
// is none.
template <class Instance>
bool find_dividing_resource(std::int32_t ranks, Instance&& instance, Resource* found) {
  for (Resource resource : resources) {
    bool used = false, divides = false;
    for (std::int32_t i = 0; i < ranks; ++i) {
      used |= instance(i, resource) >= 0;
      divides |= instance(i, resource) != instance(0, resource);
    }
    *found = resource;
    if (used && divides) return true;
  }
  return false;
}

}  // namespace baton::world
