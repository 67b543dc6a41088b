// Bodies of the collectives. Arguments that count only at the root, or not in place, arrive as
// pointers that may be null.
#pragma once

#include <cstdint>

#include "collective/collective.hpp"

namespace baton::api {

inline Error barrier(Communicator& comm) {
  return collective::barrier(comm);
}

inline Error bcast(void* buffer, std::int64_t count, Datatype& type, int root, Communicator& comm) {
  return collective::broadcast(comm, buffer, count, type, root);
}

Error reduce(const void* send, void* receive, std::int64_t count, Datatype& type,
             Operation& operation, int root, Communicator& comm);
Error allreduce(const void* send, void* receive, std::int64_t count, Datatype& type,
                Operation& operation, Communicator& comm);

// One side of a collective that moves blocks.
inline collective::Blocks uniform_blocks(const void* buffer, std::int64_t count, Datatype* type) {
  return {const_cast<void*>(buffer), type, count};
}
template <class Count, class Displacement>
collective::Blocks uneven_blocks(const void* buffer, const Count* counts,
                                 const Displacement* displacements, Datatype* type) {
  static_assert(sizeof(Count) == sizeof(Displacement));
  return {const_cast<void*>(buffer), type, 0, counts, displacements, sizeof(Count) == 8};
}

inline Error gather(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                    std::int64_t receive_count, Datatype* receive_type, int root,
                    Communicator& comm) {
  return collective::gather(comm, uniform_blocks(send, send_count, send_type),
                            uniform_blocks(receive, receive_count, receive_type), root);
}
template <class Count, class Displacement>
Error gatherv(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
              const Count* counts, const Displacement* displacements, Datatype* receive_type,
              int root, Communicator& comm) {
  return collective::gather(comm, uniform_blocks(send, send_count, send_type),
                            uneven_blocks(receive, counts, displacements, receive_type), root);
}

inline Error scatter(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                     std::int64_t receive_count, Datatype* receive_type, int root,
                     Communicator& comm) {
  return collective::scatter(comm, uniform_blocks(send, send_count, send_type),
                             uniform_blocks(receive, receive_count, receive_type), root);
}
template <class Count, class Displacement>
Error scatterv(const void* send, const Count* counts, const Displacement* displacements,
               Datatype* send_type, void* receive, std::int64_t receive_count,
               Datatype* receive_type, int root, Communicator& comm) {
  return collective::scatter(comm, uneven_blocks(send, counts, displacements, send_type),
                             uniform_blocks(receive, receive_count, receive_type), root);
}

inline Error allgather(const void* send, std::int64_t send_count, Datatype* send_type,
                       void* receive, std::int64_t receive_count, Datatype& receive_type,
                       Communicator& comm) {
  return collective::allgather(comm, uniform_blocks(send, send_count, send_type),
                               uniform_blocks(receive, receive_count, &receive_type));
}
template <class Count, class Displacement>
Error allgatherv(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                 const Count* counts, const Displacement* displacements, Datatype& receive_type,
                 Communicator& comm) {
  return collective::allgather(comm, uniform_blocks(send, send_count, send_type),
                               uneven_blocks(receive, counts, displacements, &receive_type));
}

inline Error alltoall(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                      std::int64_t receive_count, Datatype& receive_type, Communicator& comm) {
  return collective::alltoall(comm, uniform_blocks(send, send_count, send_type),
                              uniform_blocks(receive, receive_count, &receive_type));
}
template <class Count, class Displacement>
Error alltoallv(const void* send, const Count* send_counts, const Displacement* send_displacements,
                Datatype* send_type, void* receive, const Count* receive_counts,
                const Displacement* receive_displacements, Datatype& receive_type,
                Communicator& comm) {
  return collective::alltoall(
      comm, uneven_blocks(send, send_counts, send_displacements, send_type),
      uneven_blocks(receive, receive_counts, receive_displacements, &receive_type));
}

}  // namespace baton::api
