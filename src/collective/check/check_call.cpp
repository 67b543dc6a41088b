#include "collective/check/check_call.hpp"

namespace baton::collective {

namespace {

BATON_COLD Error bad_type(const char* array, int place) {
  return fail(MPI_ERR_TYPE,
              "argument %s: element %d is no datatype, or one that MPI_Type_commit has not been "
              "called for",
              array, place);
}

Error check_types(const Blocks& side, const char* array) {
  for (int i = 0; side.type_handles && i < side.ranks; ++i) {
    const Datatype* type = datatype::datatypes.find(side.type_handles[i]);
    if (!type || !type->committed) return bad_type(array, i);
  }
  return MPI_SUCCESS;
}

BATON_COLD Error check_between(const Call& call) {
  bool contributes = call.root >= 0;
  if (call.kind == Kind::scan || call.kind == Kind::exscan)
    return fail(MPI_ERR_COMM, "ranks of two groups have no common order: scans need one group");
  if (contributes && call.out.in_place() && call.kind != Kind::scatter)
    return fail(MPI_ERR_BUFFER,
                "MPI_IN_PLACE is for communicators of one group: between groups nobody keeps its "
                "own part");
  return MPI_SUCCESS;
}

Error check_counts(const Blocks& side, const char* array) {
  const bool typed = side.type || side.type_handles;
  if (side.ranks > 0 && (!side.counts || !side.displacements || !typed))
    return fail(MPI_ERR_ARG,
                "arguments %s, displacements, types: one is a null pointer, but there are %d "
                "neighbors",
                array, side.ranks);
  for (int i = 0; i < side.ranks; ++i)
    if (side.count(i) < 0)
      return fail(MPI_ERR_COUNT, "argument %s: element %d is %lld; it must not be negative", array,
                  i, static_cast<long long>(side.count(i)));
  return MPI_SUCCESS;
}

bool has_data(const Blocks& side) {
  bool any = !side.counts && side.uniform > 0;
  for (int i = 0; side.counts && i < side.ranks; ++i) any |= side.count(i) > 0;
  return any;
}

BATON_COLD Error check_neighbors(const Call& call) {
  if (!call.comm->topology)
    return fail(MPI_ERR_TOPOLOGY,
                "argument comm has no topology, so that nobody is a neighbor; make one with "
                "MPI_Cart_create, MPI_Graph_create or MPI_Dist_graph_create");
  if (Error error = check_counts(call.out, "sendcounts")) return error;
  if (Error error = check_counts(call.in, "recvcounts")) return error;
  // A buffer without data may have any address, that of MPI_IN_PLACE among them.
  if ((call.out.in_place() && has_data(call.out)) || (call.in.in_place() && has_data(call.in)))
    return fail(MPI_ERR_BUFFER, "MPI_IN_PLACE means nothing among neighbors");
  return MPI_SUCCESS;
}

}  // namespace

Error check_call(const Call& call) {
  if (Error error = world::check_open(*call.comm)) return error;
  if (BATON_UNLIKELY(call.comm->is_inter()))
    if (Error error = check_between(call)) return error;
  if (BATON_UNLIKELY(is_among_neighbors(call)))
    if (Error error = check_neighbors(call)) return error;
  // In an intercommunicator the other ranks of the root's group take no part: their types may be
  // anything.
  if (call.operation && call.root != MPI_PROC_NULL)
    if (Error error = datatype::check_operation(*call.operation, *call.in.type)) return error;
  if (Error error = check_types(call.out, "sendtypes")) return error;
  return check_types(call.in, "recvtypes");
}

}  // namespace baton::collective
