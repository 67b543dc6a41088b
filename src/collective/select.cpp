#include "collective/select.hpp"

#include "base/check.hpp"

namespace baton::collective {

namespace {

// From here on every rank reduces a part only; guesses, until `baton tune --collectives`.
constexpr std::int64_t halving_bytes_min = 8192;
constexpr std::int64_t pairwise_bytes_min = 8192;

Vector vector_of(const Call& call) {
  return {call.in.uniform, call.in.type, call.operation};
}

// Of a reduce_scatter: all parts.
Vector whole_of(const Call& call) {
  Vector whole = vector_of(call);
  whole.count = 0;
  for (int r = 0; r < call.comm->size(); ++r) whole.count += call.in.count(r);
  return whole;
}

Task select_between(Run& run, const Call& call) {
  Communicator& comm = *call.comm;
  switch (call.kind) {
    case Kind::barrier:
      return barrier_dissemination(run, comm.members(0));
    case Kind::broadcast:
      return broadcast_between(run, comm, call.in, call.root);
    case Kind::gather:
      return gather_between(run, comm, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_between(run, comm, call.out, call.in, call.root);
    case Kind::allgather:
    case Kind::alltoall:
      return exchange_between(run, comm, call.out, call.in);
    case Kind::reduce:
      return reduce_between(run, comm, vector_of(call), call.contribution(), call.in.buffer,
                            call.root);
    case Kind::allreduce:
      return allreduce_between(run, comm, vector_of(call), call.contribution(), call.in.buffer);
    case Kind::reduce_scatter:
      return reduce_scatter_between(run, comm, whole_of(call), call.contribution(), call.in);
    case Kind::scan:
    case Kind::exscan:
      break;
  }
  invariant_broken("no scan between groups", __FILE__, __LINE__);
}

Task select_allreduce(Run& run, const Call& call) {
  Vector vector = vector_of(call);
  void* total = call.in.buffer;
  if (!call.out.in_place())
    run.copy(call.out.buffer, vector.count, *vector.type, total, vector.count, *vector.type);
  bool long_one = vector.count * vector.type->size >= halving_bytes_min;
  if (long_one && call.commutes())
    return allreduce_halving(run, call.comm->collective, vector, total);
  return allreduce_doubling(run, call.comm->collective, vector, total);
}

Task select_reduce_scatter(Run& run, const Call& call) {
  Vector whole = whole_of(call);
  bool long_one = whole.count * whole.type->size >= pairwise_bytes_min;
  if (call.commutes() && (long_one || call.comm->size() == 2))
    return reduce_scatter_pairwise(run, call.comm->collective, whole, call.contribution(), call.in);
  return reduce_scatter_rooted(run, call.comm->collective, whole, call.contribution(), call.in);
}

}  // namespace

Task select(Run& run, const Call& call) {
  Communicator& comm = *call.comm;
  if (BATON_UNLIKELY(comm.is_inter())) return select_between(run, call);
  const Context& context = comm.collective;
  switch (call.kind) {
    case Kind::barrier:
      return barrier_dissemination(run, comm.members(0));
    case Kind::broadcast:
      return broadcast_binomial(run, context, call.in.buffer, call.in.uniform, *call.in.type,
                                call.root);
    case Kind::gather:
      return gather_linear(run, context, call.out, call.in, call.root);
    case Kind::scatter:
      return scatter_linear(run, context, call.out, call.in, call.root);
    case Kind::allgather:
      return allgather_ring(run, context, call.out, call.in);
    case Kind::alltoall:
      if (call.out.in_place()) return alltoall_in_place(run, context, call.in);
      return alltoall_pairwise(run, context, call.out, call.in);
    case Kind::reduce:
      return reduce_binomial(run, context, vector_of(call), call.contribution(), call.in.buffer,
                             call.root);
    case Kind::allreduce:
      return select_allreduce(run, call);
    case Kind::reduce_scatter:
      return select_reduce_scatter(run, call);
    case Kind::scan:
    case Kind::exscan:
      return scan_doubling(run, context, vector_of(call), call.contribution(), call.in.buffer,
                           call.kind == Kind::scan);
  }
  invariant_broken("a collective has a kind", __FILE__, __LINE__);
}

}  // namespace baton::collective
