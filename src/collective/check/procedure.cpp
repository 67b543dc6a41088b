#include "collective/check/procedure.hpp"

#include <cctype>
#include <cstdio>

namespace baton::collective {

namespace {

// These are indexed by Kind.
constexpr const char* names[] = {"barrier",          "bcast",    "gather", "scatter",
                                 "allgather",        "alltoall", "reduce", "allreduce",
                                 "reduce_scatter",   "scan",     "exscan", "neighbor_allgather",
                                 "neighbor_alltoall"};

Variant variant_of(const Call& call) {
  if (call.kind == Kind::reduce_scatter) return call.in.counts ? Variant::plain : Variant::block;
  if (!call.uneven) return Variant::plain;
  // A rank that gives or gets nothing has no type either; in an alltoall all give and get.
  bool exchanges = call.kind == Kind::alltoall || call.kind == Kind::neighbor_alltoall;
  return exchanges && !call.in.type ? Variant::w : Variant::v;
}

}  // namespace

Procedure procedure_of(const Call& call, Form form) {
  return {call.kind, form, variant_of(call)};
}

ProcedureName::ProcedureName(const Procedure& procedure) {
  constexpr const char* suffixes[] = {"", "v", "w", "_block"};
  const char* name = names[static_cast<int>(procedure.kind)];
  const char* suffix = suffixes[static_cast<int>(procedure.variant)];
  if (procedure.form == Form::nonblocking)
    std::snprintf(text, sizeof text, "MPI_I%s%s", name, suffix);
  else
    std::snprintf(text, sizeof text, "MPI_%c%s%s%s", std::toupper(name[0]), name + 1, suffix,
                  procedure.form == Form::persistent ? "_init" : "");
}

}  // namespace baton::collective
