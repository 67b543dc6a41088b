// Gather and scatter, v forms included: the root and each rank directly.
#include <new>

#include "collective/parts.hpp"

namespace baton::collective {

namespace {

// Requests to all ranks at once, kept by the caller until they are complete.
class Requests {
 public:
  explicit Requests(int count)
      : all_(
            static_cast<Request*>(std::malloc(static_cast<std::size_t>(count) * sizeof(Request)))) {
  }
  ~Requests() { std::free(all_); }
  Requests(const Requests&) = delete;
  Requests& operator=(const Requests&) = delete;
  explicit operator bool() const { return all_ != nullptr; }
  Request& next() { return *new (&all_[used_++]) Request; }
  Error wait() {
    Error first = MPI_SUCCESS;
    for (int i = 0; i < used_; ++i) {
      message::wait_for(all_[i]);
      if (!first) first = all_[i].error;
    }
    return first;
  }

 private:
  Request* all_;
  int used_ = 0;
};

}  // namespace

Error gather(Communicator& comm, const Blocks& mine, const Blocks& all, int root) {
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
