#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "datatype/datatype.hpp"
#include "datatype/draft.hpp"

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

// A fresh object with a handle, or null.
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
  draft.fill(*type);
  type->contents = record.take();
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

namespace {

// Calls `walk(element, inside, part, bytes)` for each element that [position, position + bytes)
// touches.
template <class Walk>
void for_each_element(const Datatype& type, std::int64_t position, std::int64_t bytes, Walk walk) {
  std::int64_t element = position / type.size;
  std::int64_t inside = position % type.size;
  for (std::int64_t done = 0; done < bytes; ++element, inside = 0) {
    std::int64_t here = std::min(bytes - done, type.size - inside);
    walk(element * type.extent, inside, done, here);
    done += here;
  }
}

}  // namespace

void pack(const Datatype& type, const void* buffer, std::int64_t position, void* packed,
          std::int64_t bytes) {
  auto* from = static_cast<const char*>(buffer);
  auto* to = static_cast<char*>(packed);
  if (bytes == 0) return;
  if (type.contiguous) {
    std::memcpy(to, from + position, static_cast<std::size_t>(bytes));
    return;
  }
  for_each_element(
      type, position, bytes,
      [&](std::int64_t offset, std::int64_t inside, std::int64_t done, std::int64_t here) {
        pack_shape(type.shape, from + offset, inside, to + done, here);
      });
}

void unpack(const Datatype& type, void* buffer, std::int64_t position, const void* packed,
            std::int64_t bytes) {
  auto* to = static_cast<char*>(buffer);
  auto* from = static_cast<const char*>(packed);
  if (bytes == 0) return;
  if (type.contiguous) {
    std::memcpy(to + position, from, static_cast<std::size_t>(bytes));
    return;
  }
  for_each_element(
      type, position, bytes,
      [&](std::int64_t offset, std::int64_t inside, std::int64_t done, std::int64_t here) {
        unpack_shape(type.shape, to + offset, inside, from + done, here);
      });
}

void copy(const Datatype& from_type, const void* from, const Datatype& to_type, void* to,
          std::int64_t bytes) {
  if (from_type.contiguous) return unpack(to_type, to, 0, from, bytes);
  if (to_type.contiguous) return pack(from_type, from, 0, to, bytes);
  // Neither is one run: through a bounce buffer that stays in cache.
  constexpr std::int64_t bounce_bytes = 4096;
  char bounce[bounce_bytes];
  for (std::int64_t done = 0; done < bytes; done += bounce_bytes) {
    std::int64_t piece = std::min(bounce_bytes, bytes - done);
    pack(from_type, from, done, bounce, piece);
    unpack(to_type, to, done, bounce, piece);
  }
}

}  // namespace baton::datatype
