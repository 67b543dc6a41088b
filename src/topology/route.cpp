#include "topology/route.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "base/status_fields.hpp"
#include "message/core/point_to_point.hpp"
#include "message/core/wait.hpp"

namespace baton::topology {

namespace {

constexpr std::int32_t edges_tag = world::own_tag(world::TagKind::edges, 0);

Datatype& bytes_type() {
  return *datatype::datatypes.find(MPI_BYTE);
}

constexpr std::int64_t bytes_of(std::int64_t edges) {
  return edges * static_cast<std::int64_t>(sizeof(Edge));
}

// These are our edges, sorted by the processes that want them, and the sends that take them there.
class OutgoingEdges {
 public:
  // Sorts the edges by process. False when memory is short.
  bool pack(int processes, const Edge* edges, std::int64_t count, const std::int32_t* process_of) {
    processes_ = processes;
    ends_ = make_array<std::int64_t>(processes);
    sends_ = make_array<message::Request>(processes);
    packed_ = make_array<Edge>(2 * count);
    if (!ends_ || !sends_ || !packed_) return false;
    auto each = [&](auto&& visit) {
      for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t from = process_of[edges[i].from], to = process_of[edges[i].to];
        visit(from, edges[i]);
        if (to != from) visit(to, edges[i]);
      }
    };
    each([&](std::int32_t process, const Edge&) { ++ends_[process]; });
    for (std::int64_t process = 0, begin = 0; process < processes; ++process)
      begin += std::exchange(ends_[process], begin);
    each([&](std::int32_t process, const Edge& edge) { packed_[ends_[process]++] = edge; });
    return true;
  }

  const Edge* begin(int process) const {
    return packed_.get() + (process ? ends_[process - 1] : 0);
  }
  std::int64_t count(int process) const {
    return ends_[process] - (process ? ends_[process - 1] : 0);
  }

  void send(const message::Context& context) {
    for (int process = 0; process < processes_; ++process) {
      if (process == context.rank || count(process) == 0) continue;
      message::begin_send(context, begin(process), bytes_of(count(process)), bytes_type(), process,
                          edges_tag, true, sends_[sent_++]);
    }
  }
  bool have_arrived() {
    while (arrived_ < sent_ && message::is_complete(sends_[arrived_])) ++arrived_;
    return arrived_ == sent_;
  }
  Error error() const {
    for (int i = 0; i < sent_; ++i)
      if (sends_[i].error) return sends_[i].error;
    return MPI_SUCCESS;
  }

 private:
  int processes_ = 0;
  int sent_ = 0;
  int arrived_ = 0;
  Array<std::int64_t> ends_;
  Array<message::Request> sends_;
  Array<Edge> packed_;
};

// Receives a message that was probed. Without memory it is received all the same, so that its
// sender goes on.
Error take(const message::Context& context, const MPI_Status& status, EdgeList& received) {
  std::int64_t bytes = status_bytes(status);
  Edge* space = received.extend(bytes / bytes_of(1));
  Error error = message::receive(context, space, space ? bytes : 0, bytes_type(), status.MPI_SOURCE,
                                 edges_tag, nullptr);
  return space ? error : Error{MPI_ERR_NO_MEM};
}

}  // namespace

EdgeList::~EdgeList() {
  std::free(edges_);
}

void EdgeList::sort() {
  std::sort(edges_, edges_ + count_, [](const Edge& a, const Edge& b) {
    return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
  });
}

Edge* EdgeList::extend(std::int64_t count) {
  if (count_ + count > space_ || !edges_) {
    std::int64_t space = std::max<std::int64_t>({16, 2 * space_, count_ + count});
    void* grown = std::realloc(edges_, static_cast<std::size_t>(bytes_of(space)));
    if (!grown) return nullptr;
    edges_ = static_cast<Edge*>(grown);
    space_ = space;
  }
  count_ += count;
  return edges_ + count_ - count;
}

Error route_edges(Communicator& comm, const Edge* edges, std::int64_t count,
                  const std::int32_t* process_of, EdgeList& received) {
  const message::Context& context = comm.collective;
  OutgoingEdges outgoing;
  Error error = MPI_SUCCESS;
  Edge* own = nullptr;
  bool packed = outgoing.pack(comm.size(), edges, count, process_of);
  if (packed) own = received.extend(outgoing.count(context.rank));
  if (own) {
    std::copy_n(outgoing.begin(context.rank), outgoing.count(context.rank), own);
    outgoing.send(context);
  } else {
    error = MPI_ERR_NO_MEM;
  }
  world::Members members = comm.members(world::agreement_tag);
  world::Dissemination barrier;
  bool started = false;
  for (bool over = false; !over;) {
    MPI_Status status;
    bool found = false;
    message::wait_until([&] {
      found = message::probe_once(context, MPI_ANY_SOURCE, edges_tag, &status);
      if (found) return true;
      if (!started) return outgoing.have_arrived();
      over = barrier.advance();
      return over;
    });
    if (found) {
      if (Error taken = take(context, status, received)) error = taken;
    } else if (!started) {
      if (!error) error = outgoing.error();
      barrier.words[0] = error == MPI_SUCCESS;
      barrier.start(members, 1);
      started = true;
    }
  }
  if (!error) error = barrier.error();
  if (error && error != MPI_ERR_NO_MEM) return error;
  if (error || barrier.words[0] == 0)
    return fail(MPI_ERR_NO_MEM, "some process has no memory for the edges of a graph");
  return MPI_SUCCESS;
}

}  // namespace baton::topology
