#include "transport/network/exposed_memory.hpp"

namespace baton::transport::network {

namespace {

// Registers memory at one interface after the other; at fewer where not all can.
template <class Register>
Error register_at(int rails, RailRegistrations& made, Register&& register_one) {
  for (made.count = 0; made.count < rails; ++made.count)
    if (Error error = register_one(network().endpoint_at(made.count), made.each[made.count]))
      return made.count > 0 ? MPI_SUCCESS : error;
  return MPI_SUCCESS;
}

// Returns the number of interfaces, from the first on, that have remote access.
int rails_with_remote_access() {
  int rails = 0;
  while (rails < network().rails() && network().endpoint_at(rails).has_remote_access()) ++rails;
  return rails;
}

}  // namespace

bool has_remote_access() {
  return network().is_open() && network().endpoint().has_remote_access();
}

Error expose(void* memory, std::size_t bytes, RailRegistrations& made, RemoteMemory& told) {
  const Error error = register_at(rails_with_remote_access(), made,
                                  [&](Endpoint& endpoint, Registration& registration) {
                                    return endpoint.register_exposed(memory, bytes, registration);
                                  });
  if (error) return error;
  told.address = made.each[0].address;
  told.rails = made.count;
  for (int rail = 0; rail < made.count; ++rail) told.keys[rail] = made.each[rail].key;
  return MPI_SUCCESS;
}

Error register_local(void* memory, std::size_t bytes, bool writes, int rails,
                     RailRegistrations& made) {
  return register_at(rails, made, [&](Endpoint& endpoint, Registration& registration) {
    return endpoint.register_local(memory, bytes, writes, registration);
  });
}

}  // namespace baton::transport::network
