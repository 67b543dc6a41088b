#include "api/collective.hpp"

namespace baton::api {

Error reduce(const void* send, void* receive, std::int64_t count, Datatype& type,
             Operation& operation, int root, Communicator& comm) {
  // The root's companions between groups take no part: their types may be anything.
  if (root == MPI_PROC_NULL) return MPI_SUCCESS;
  if (Error error = datatype::check_operation(operation, type)) return error;
  return collective::reduce(comm, send, receive, count, type, operation, root);
}

Error allreduce(const void* send, void* receive, std::int64_t count, Datatype& type,
                Operation& operation, Communicator& comm) {
  if (Error error = datatype::check_operation(operation, type)) return error;
  return collective::allreduce(comm, send, receive, count, type, operation);
}

}  // namespace baton::api
