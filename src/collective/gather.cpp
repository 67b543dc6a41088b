// Gather and scatter, v forms included: the root and each rank directly.
#include "collective/between.hpp"
#include "collective/parts.hpp"

namespace baton::collective {

Error gather(Communicator& comm, const Blocks& mine, const Blocks& all, int root) {
  if (BATON_UNLIKELY(comm.is_inter())) return between::gather(comm, mine, all, root);
  if (comm.rank() != root)
    return message::send(comm.collective, mine.buffer, mine.count(0), *mine.type, root, gather_tag);
  Requests receives(comm.size());
  if (!receives) return no_scratch();
  for (int r = 0; r < comm.size(); ++r)
    if (r != root)
      message::begin_receive(comm.collective, all.place(r), all.count(r), *all.type, r, gather_tag,
                             receives.next());
  Error error = MPI_SUCCESS;
  if (mine.buffer != MPI_IN_PLACE)
    error = copy_local(mine.buffer, mine.count(0), *mine.type, all.place(root), all.count(root),
                       *all.type);
  Error received = receives.wait();
  return error ? error : received;
}

Error scatter(Communicator& comm, const Blocks& all, const Blocks& mine, int root) {
  if (BATON_UNLIKELY(comm.is_inter())) return between::scatter(comm, all, mine, root);
  if (comm.rank() != root)
    return message::receive(comm.collective, mine.buffer, mine.count(0), *mine.type, root,
                            scatter_tag, nullptr);
  Requests sends(comm.size());
  if (!sends) return no_scratch();
  for (int r = 0; r < comm.size(); ++r)
    if (r != root)
      message::begin_send(comm.collective, all.place(r), all.count(r), *all.type, r, scatter_tag,
                          false, sends.next());
  Error error = MPI_SUCCESS;
  if (mine.buffer != MPI_IN_PLACE)
    error = copy_local(all.place(root), all.count(root), *all.type, mine.buffer, mine.count(0),
                       *mine.type);
  Error sent = sends.wait();
  return error ? error : sent;
}

}  // namespace baton::collective
