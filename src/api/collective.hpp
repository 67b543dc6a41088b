// These are the bodies of the collectives: each makes the call as data, for all three forms.
// Arguments that count only at the root, or not in place, arrive as pointers that may be null.
#pragma once

#include <cstdint>

#include "collective/form.hpp"

namespace baton::api {

using collective::Blocks;
using collective::Call;
using collective::Kind;

// These make one side of a collective.
inline Blocks uniform_blocks(const void* buffer, std::int64_t count, Datatype* type) {
  Blocks blocks;
  blocks.buffer = const_cast<void*>(buffer);
  blocks.type = type;
  blocks.uniform = count;
  return blocks;
}
template <class Count, class Displacement>
Blocks uneven_blocks(const void* buffer, const Count* counts, const Displacement* displacements,
                     Datatype* type, int ranks) {
  Blocks blocks = uniform_blocks(buffer, 0, type);
  blocks.ranks = ranks;
  blocks.counts = counts;
  blocks.displacements = displacements;
  blocks.wide_counts = sizeof(Count) == 8;
  blocks.wide_displacements = sizeof(Displacement) == 8;
  return blocks;
}
// Makes a side with a type for each rank and displacements in bytes.
template <class Count, class Displacement>
Blocks typed_blocks(const void* buffer, const Count* counts, const Displacement* displacements,
                    const MPI_Datatype* types, int ranks) {
  Blocks blocks = uneven_blocks(buffer, counts, displacements, nullptr, ranks);
  blocks.type_handles = types;
  return blocks;
}
// Makes the side that is MPI_IN_PLACE: no other argument of it counts.
inline Blocks own_blocks_in_place() {
  return uniform_blocks(MPI_IN_PLACE, 0, nullptr);
}

// Marks a call of the v and w forms.
inline Call uneven(Call call) {
  call.uneven = true;
  return call;
}

inline Call barrier(Communicator& comm) {
  return {Kind::barrier, &comm, 0, {}, {}, nullptr};
}

inline Call bcast(void* buffer, std::int64_t count, Datatype& type, int root, Communicator& comm) {
  return {Kind::broadcast, &comm, root, {}, uniform_blocks(buffer, count, &type), nullptr};
}

inline Call gather(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                   std::int64_t receive_count, Datatype* receive_type, int root,
                   Communicator& comm) {
  return {Kind::gather, &comm, root, uniform_blocks(send, send_count, send_type),
          uniform_blocks(receive, receive_count, receive_type)};
}
template <class Count, class Displacement>
Call gatherv(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
             const Count* counts, const Displacement* displacements, Datatype* receive_type,
             int root, Communicator& comm) {
  bool at_root = receive_type != nullptr;
  return uneven(
      {Kind::gather, &comm, root, uniform_blocks(send, send_count, send_type),
       at_root ? uneven_blocks(receive, counts, displacements, receive_type, comm.remote_size())
               : Blocks{}});
}

inline Call scatter(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                    std::int64_t receive_count, Datatype* receive_type, int root,
                    Communicator& comm) {
  return {Kind::scatter, &comm, root, uniform_blocks(send, send_count, send_type),
          uniform_blocks(receive, receive_count, receive_type)};
}
template <class Count, class Displacement>
Call scatterv(const void* send, const Count* counts, const Displacement* displacements,
              Datatype* send_type, void* receive, std::int64_t receive_count,
              Datatype* receive_type, int root, Communicator& comm) {
  bool at_root = send_type != nullptr;
  return uneven({Kind::scatter, &comm, root,
                 at_root ? uneven_blocks(send, counts, displacements, send_type, comm.remote_size())
                         : Blocks{},
                 uniform_blocks(receive, receive_count, receive_type)});
}

inline Call allgather(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                      std::int64_t receive_count, Datatype& receive_type, Communicator& comm) {
  return {Kind::allgather, &comm, 0, uniform_blocks(send, send_count, send_type),
          uniform_blocks(receive, receive_count, &receive_type)};
}
template <class Count, class Displacement>
Call allgatherv(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                const Count* counts, const Displacement* displacements, Datatype& receive_type,
                Communicator& comm) {
  return uneven({Kind::allgather, &comm, 0, uniform_blocks(send, send_count, send_type),
                 uneven_blocks(receive, counts, displacements, &receive_type, comm.remote_size())});
}

inline Call alltoall(const void* send, std::int64_t send_count, Datatype* send_type, void* receive,
                     std::int64_t receive_count, Datatype& receive_type, Communicator& comm) {
  return {Kind::alltoall, &comm, 0, uniform_blocks(send, send_count, send_type),
          uniform_blocks(receive, receive_count, &receive_type)};
}
template <class Count, class Displacement>
Call alltoallv(const void* send, const Count* send_counts, const Displacement* send_displacements,
               Datatype* send_type, void* receive, const Count* receive_counts,
               const Displacement* receive_displacements, Datatype& receive_type,
               Communicator& comm) {
  int ranks = comm.remote_size();
  return uneven(
      {Kind::alltoall, &comm, 0,
       send == MPI_IN_PLACE
           ? own_blocks_in_place()
           : uneven_blocks(send, send_counts, send_displacements, send_type, ranks),
       uneven_blocks(receive, receive_counts, receive_displacements, &receive_type, ranks)});
}
template <class Count, class Displacement>
Call alltoallw(const void* send, const Count* send_counts, const Displacement* send_displacements,
               const MPI_Datatype* send_types, void* receive, const Count* receive_counts,
               const Displacement* receive_displacements, const MPI_Datatype* receive_types,
               Communicator& comm) {
  int ranks = comm.remote_size();
  return uneven(
      {Kind::alltoall, &comm, 0,
       send == MPI_IN_PLACE
           ? own_blocks_in_place()
           : typed_blocks(send, send_counts, send_displacements, send_types, ranks),
       typed_blocks(receive, receive_counts, receive_displacements, receive_types, ranks)});
}

// Makes a reduction: it has the same count and type on both sides.
inline Call reduction(Kind kind, const void* send, void* receive, std::int64_t count,
                      Datatype& type, Operation& operation, int root, Communicator& comm) {
  return {kind,
          &comm,
          root,
          uniform_blocks(send, count, &type),
          uniform_blocks(receive, count, &type),
          &operation};
}
inline Call reduce(const void* send, void* receive, std::int64_t count, Datatype& type,
                   Operation& operation, int root, Communicator& comm) {
  return reduction(Kind::reduce, send, receive, count, type, operation, root, comm);
}
inline Call allreduce(const void* send, void* receive, std::int64_t count, Datatype& type,
                      Operation& operation, Communicator& comm) {
  return reduction(Kind::allreduce, send, receive, count, type, operation, 0, comm);
}
inline Call scan(const void* send, void* receive, std::int64_t count, Datatype& type,
                 Operation& operation, Communicator& comm) {
  return reduction(Kind::scan, send, receive, count, type, operation, 0, comm);
}
inline Call exscan(const void* send, void* receive, std::int64_t count, Datatype& type,
                   Operation& operation, Communicator& comm) {
  return reduction(Kind::exscan, send, receive, count, type, operation, 0, comm);
}
inline Call reduce_scatter_block(const void* send, void* receive, std::int64_t count,
                                 Datatype& type, Operation& operation, Communicator& comm) {
  return reduction(Kind::reduce_scatter, send, receive, count, type, operation, 0, comm);
}
template <class Count>
Call reduce_scatter(const void* send, void* receive, const Count* counts, Datatype& type,
                    Operation& operation, Communicator& comm) {
  Call call = reduction(Kind::reduce_scatter, send, receive, 0, type, operation, 0, comm);
  call.in = uneven_blocks<Count, Count>(receive, counts, nullptr, &type, comm.size());
  return call;
}

}  // namespace baton::api
