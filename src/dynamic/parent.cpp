#include "dynamic/parent.hpp"

#include <cstdio>
#include <cstdlib>

#include "base/environment.hpp"
#include "dynamic/port.hpp"
#include "world/process_set.hpp"

namespace baton::dynamic {

namespace {

constexpr char variable[] = "BATON_PARENT";
MPI_Comm with_parents = MPI_COMM_NULL;

}  // namespace

Error meet_parents() {
  const char* port = environment_variable(variable);
  if (!port) return MPI_SUCCESS;
  Communicator* made = nullptr;
  Communicator& world = *world::communicators.find(MPI_COMM_WORLD);
  if (Error error = connect(world, 0, {port, 0, MPI_SUCCESS}, &made)) return error;
  // A program that this process starts, or becomes, has other parents.
  ::unsetenv(variable);
  std::snprintf(made->name, sizeof made->name, "MPI_COMM_PARENT");
  with_parents = made->handle;
  world::add_parent_set(*made);
  return MPI_SUCCESS;
}

MPI_Comm parent() {
  return world::communicators.find(with_parents) ? with_parents : MPI_COMM_NULL;
}

}  // namespace baton::dynamic
