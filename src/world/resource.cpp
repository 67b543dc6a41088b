#include "world/resource.hpp"

#include <cstring>

namespace baton::world {

namespace {

constexpr char scheme[] = "hwloc://";
constexpr const char* uris[] = {"hwloc://Machine", "hwloc://Package", "hwloc://NUMANode",
                                "hwloc://L3Cache", "hwloc://L2Cache", "hwloc://Core",
                                "hwloc://PU"};

}  // namespace

const char* resource_uri(Resource resource) {
  return uris[static_cast<int>(resource)];
}

bool find_resource(const char* name, Resource* found) {
  for (Resource resource : resources) {
    const char* uri = resource_uri(resource);
    if (std::strcmp(name, uri) != 0 && std::strcmp(name, uri + sizeof scheme - 1) != 0) continue;
    *found = resource;
    return true;
  }
  return false;
}

std::int32_t instance_of(const lockfree::RankPlace& place, Resource resource) {
  if (resource == Resource::machine) return place.node;
  if (place.cpu_count <= 0) return -1;  // no launcher placed this rank
  switch (resource) {
    case Resource::package:
      return place.package;
    case Resource::numa_node:
      return place.numa_node;
    case Resource::l3_cache:
      return place.l3;
    case Resource::l2_cache:
      return place.l2;
    case Resource::core:
      return place.core;
    default:
      // CPU numbers are those of the operating system, which begin anew on each node.
      return place.cpu_count == 1 ? place.node * lockfree::numbers_of_node + place.cpu : -1;
  }
}

}  // namespace baton::world
