// The bodies of the neighborhood collectives: they are like those of the others, with a block for
// each neighbor.
#pragma once

#include "api/collective.hpp"
#include "collective/neighborhood.hpp"

namespace baton::api {

// These return how many neighbors there are to receive from and to send to; 0 without a topology,
// which is found out when the call is checked.
inline int in_count(const Communicator& comm) {
  return comm.topology ? collective::Neighborhood(comm).in_count() : 0;
}
inline int out_count(const Communicator& comm) {
  return comm.topology ? collective::Neighborhood(comm).out_count() : 0;
}

inline Call neighbor_allgather(const void* send, std::int64_t send_count, Datatype& send_type,
                               void* receive, std::int64_t receive_count, Datatype& receive_type,
                               Communicator& comm) {
  return {Kind::neighbor_allgather, &comm, 0, uniform_blocks(send, send_count, &send_type),
          uniform_blocks(receive, receive_count, &receive_type)};
}
template <class Count, class Displacement>
Call neighbor_allgatherv(const void* send, std::int64_t send_count, Datatype& send_type,
                         void* receive, const Count* counts, const Displacement* displacements,
                         Datatype& receive_type, Communicator& comm) {
  return uneven({Kind::neighbor_allgather, &comm, 0, uniform_blocks(send, send_count, &send_type),
                 uneven_blocks(receive, counts, displacements, &receive_type, in_count(comm))});
}

inline Call neighbor_alltoall(const void* send, std::int64_t send_count, Datatype& send_type,
                              void* receive, std::int64_t receive_count, Datatype& receive_type,
                              Communicator& comm) {
  return {Kind::neighbor_alltoall, &comm, 0, uniform_blocks(send, send_count, &send_type),
          uniform_blocks(receive, receive_count, &receive_type)};
}
template <class Count, class Displacement>
Call neighbor_alltoallv(const void* send, const Count* send_counts,
                        const Displacement* send_displacements, Datatype& send_type, void* receive,
                        const Count* receive_counts, const Displacement* receive_displacements,
                        Datatype& receive_type, Communicator& comm) {
  return uneven({Kind::neighbor_alltoall, &comm, 0,
                 uneven_blocks(send, send_counts, send_displacements, &send_type, out_count(comm)),
                 uneven_blocks(receive, receive_counts, receive_displacements, &receive_type,
                               in_count(comm))});
}
template <class Count, class Displacement>
Call neighbor_alltoallw(const void* send, const Count* send_counts,
                        const Displacement* send_displacements, const MPI_Datatype* send_types,
                        void* receive, const Count* receive_counts,
                        const Displacement* receive_displacements,
                        const MPI_Datatype* receive_types, Communicator& comm) {
  return uneven({Kind::neighbor_alltoall, &comm, 0,
                 typed_blocks(send, send_counts, send_displacements, send_types, out_count(comm)),
                 typed_blocks(receive, receive_counts, receive_displacements, receive_types,
                              in_count(comm))});
}

}  // namespace baton::api
