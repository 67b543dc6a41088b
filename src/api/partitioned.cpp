#include "api/partitioned.hpp"

#include "message/core/requests.hpp"

namespace baton::api {

namespace {

using message::RequestKind;

BATON_COLD Error refuse(int argument, const char* why) {
  return fail(MPI_ERR_REQUEST, "argument %d (request): %s", argument, why);
}

// Errors from here on go to the handler of the request's communicator.
Error raise_on_communicator(const Request& request, Error error) {
  const bool alive = request.owner && !(request.usage && request.usage->freed);
  if (error && alive)
    last_explanation().target = &static_cast<Communicator*>(request.owner)->errors;
  return error;
}

// Finds the active send whose partitions are to be marked.
BATON_INLINE Error find_send(MPI_Request handle, int argument, Request** found) {
  Request* request = message::requests.find(handle);
  if (BATON_UNLIKELY(!request || request->kind != RequestKind::partitioned_send))
    return refuse(argument,
                  "only partitions of a partitioned send can be marked ready "
                  "(MPI_Psend_init)");
  if (BATON_UNLIKELY(!message::is_active(*request)))
    return raise_on_communicator(*request,
                                 refuse(argument,
                                        "this partitioned send is not active; start it before its "
                                        "partitions are marked ready (MPI_Start)"));
  *found = request;
  return MPI_SUCCESS;
}

BATON_COLD Error no_such_partition(const Request& request, int argument, const char* name,
                                   int partition) {
  const int partitions = message::partitioned::partitions_of(request);
  return raise_on_communicator(
      request, fail(MPI_ERR_ARG, "argument %d (%s): there is no partition %d; the request has %d%s",
                    argument, name, partition, partitions,
                    partitions > 0 ? ", and the first one is 0" : ""));
}

BATON_INLINE bool has_partition(const Request& request, int partition) {
  return static_cast<unsigned>(partition) <
         static_cast<unsigned>(message::partitioned::partitions_of(request));
}

}  // namespace

Error psend_init(const void* buffer, int partitions, std::int64_t count, Datatype& type,
                 int destination, int tag, Communicator& comm, const Info*, MPI_Request* request) {
  return message::partitioned::make_send(
      comm.point_to_point, {const_cast<void*>(buffer), partitions, count, &type, destination, tag},
      request);
}

Error precv_init(void* buffer, int partitions, std::int64_t count, Datatype& type, int source,
                 int tag, Communicator& comm, const Info*, MPI_Request* request) {
  return message::partitioned::make_receive(
      comm.point_to_point, {buffer, partitions, count, &type, source, tag}, request);
}

Error pready(int partition, MPI_Request handle) {
  Request* request;
  if (Error error = find_send(handle, 2, &request)) return error;
  if (BATON_UNLIKELY(!has_partition(*request, partition)))
    return no_such_partition(*request, 1, "partition", partition);
  return message::partitioned::mark_ready(*request, partition, partition);
}

Error pready_range(int low, int high, MPI_Request handle) {
  Request* request;
  if (Error error = find_send(handle, 3, &request)) return error;
  if (!has_partition(*request, low)) return no_such_partition(*request, 1, "partition_low", low);
  if (!has_partition(*request, high)) return no_such_partition(*request, 2, "partition_high", high);
  if (low > high)
    return raise_on_communicator(
        *request, fail(MPI_ERR_ARG,
                       "argument 1 (partition_low): %d is greater than partition_high, which is "
                       "%d; both belong to the range",
                       low, high));
  return message::partitioned::mark_ready(*request, low, high);
}

Error pready_list(int length, const int* partitions, MPI_Request handle) {
  Request* request;
  if (Error error = find_send(handle, 3, &request)) return error;
  for (int i = 0; i < length; ++i)
    if (!has_partition(*request, partitions[i]))
      return no_such_partition(*request, 2, "array_of_partitions", partitions[i]);
  for (int i = 0; i < length; ++i)
    if (Error error = message::partitioned::mark_ready(*request, partitions[i], partitions[i]))
      return error;
  return MPI_SUCCESS;
}

Error parrived(MPI_Request handle, int partition, int* flag) {
  *flag = 1;
  if (handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  Request* request = message::requests.find(handle);
  if (!request || request->kind != RequestKind::partitioned_receive)
    return refuse(1, "only of a partitioned receive can partitions arrive (MPI_Precv_init)");
  if (!has_partition(*request, partition))
    return no_such_partition(*request, 2, "partition", partition);
  *flag = message::partitioned::look_for_arrival(*request, partition);
  return MPI_SUCCESS;
}

}  // namespace baton::api
