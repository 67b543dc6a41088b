#include "datatype/construct.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "datatype/draft.hpp"
#include "datatype/type_signature.hpp"

namespace baton::datatype {

namespace {

Error out_of_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a datatype; free some, or raise the limit");
}

Error lay(const Contents& contents, Draft& draft) {
  switch (contents.combiner) {
    case MPI_COMBINER_CONTIGUOUS:
      return lay_contiguous(contents, draft);
    case MPI_COMBINER_VECTOR:
    case MPI_COMBINER_HVECTOR:
      return lay_vector(contents, draft);
    case MPI_COMBINER_RESIZED:
      return lay_resized(contents, draft);
    case MPI_COMBINER_DUP:
      return lay_duplicate(contents, draft);
    case MPI_COMBINER_SUBARRAY:
      return lay_subarray(contents, draft);
    case MPI_COMBINER_DARRAY:
      return lay_darray(contents, draft);
    default:
      return lay_blocks(contents, draft);
  }
}

// Makes a fresh object with a handle; null when memory is short.
Datatype* new_type() {
  void* memory = std::malloc(sizeof(Datatype));
  if (!memory) return nullptr;
  auto* type = new (memory) Datatype;
  type->handle = datatypes.add(type);
  if (type->handle != nullptr) return type;
  std::free(type);
  return nullptr;
}

}  // namespace

Error construct(Recorder& record, Datatype** made) {
  if (!record.good()) return out_of_memory();
  Draft draft;
  if (Error error = lay(record.contents(), draft)) return error;
  if (!draft.fits())
    return fail(MPI_ERR_COUNT,
                "the size or the bounds of this datatype are beyond 64 bits; build "
                "it of fewer elements or smaller displacements");
  Datatype* type = draft.shape ? new_type() : nullptr;
  if (!type) return out_of_memory();
  // Only the extents of structs are rounded: docs/decisions/extents.md.
  draft.fill(*type, record.contents().combiner == MPI_COMBINER_STRUCT);
  type->contents = record.take();
  type->signature = signature_of_parts(*type);
  if (type->contents->combiner == MPI_COMBINER_DUP) {
    const Datatype& old = *type->contents->types[0];
    type->committed = old.committed;
    type->element = old.element;
  }
  *made = type;
  return MPI_SUCCESS;
}

Error equivalent(Datatype& type, Datatype** made) {
  *made = &type;
  if (type.predefined) return MPI_SUCCESS;
  Datatype* copy = new_type();
  if (!copy) return out_of_memory();
  retain_shape(type.shape);
  retain_contents(*type.contents);
  copy->size = type.size;
  copy->extent = type.extent;
  copy->lower_bound = type.lower_bound;
  copy->true_lower_bound = type.true_lower_bound;
  copy->true_extent = type.true_extent;
  copy->shape = type.shape;
  copy->contiguous = type.contiguous;
  copy->committed = type.committed;
  copy->marked = type.marked;
  copy->element = type.element;
  copy->alignment = type.alignment;
  copy->elements = type.elements;
  copy->basic = type.basic;
  copy->signature = type.signature;
  copy->contents = type.contents;
  *made = copy;
  return MPI_SUCCESS;
}

void release(Datatype& type) {
  for (Datatype* next = &type; next && !next->predefined;) {
    // ORDER datatype.references: release by each, acquire by the last; all uses are over.
    if (next->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    release_shape(next->shape);
    Datatype* part = drop_contents(next->contents);
    std::free(next);
    next = part;
  }
}

}  // namespace baton::datatype
