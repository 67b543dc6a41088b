#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "datatype/datatype.hpp"

namespace baton::datatype {

namespace {

// The bounds of a type under construction: lowest and highest byte of markers and of data.
struct Bounds {
  std::int64_t lower = INT64_MAX, upper = INT64_MIN, true_lower = INT64_MAX, true_upper = INT64_MIN;

  // Covers `old` laid at `displacement`, `last` bytes between the first and last repetition.
  void cover(const Datatype& old, std::int64_t displacement, std::int64_t last) {
    std::int64_t low = displacement + std::min<std::int64_t>(0, last);
    std::int64_t high = displacement + std::max<std::int64_t>(0, last);
    lower = std::min(lower, low + old.lower_bound);
    upper = std::max(upper, high + old.lower_bound + old.extent);
    if (old.size == 0) return;
    true_lower = std::min(true_lower, low + old.true_lower_bound);
    true_upper = std::max(true_upper, high + old.true_lower_bound + old.true_extent);
  }
};

Error out_of_memory() {
  return fail(MPI_ERR_NO_MEM, "no memory for a datatype; free some, or raise the limit");
}

// Makes the object around a shape, of which it takes the reference.
Error adopt(const Shape* shape, const Bounds& bounds, std::int64_t elements, Datatype* basic,
            Datatype** made) {
  void* memory = shape ? std::malloc(sizeof(Datatype)) : nullptr;
  Datatype* type = memory ? new (memory) Datatype : nullptr;
  if (type) type->handle = datatypes.add(type);
  if (!type || type->handle == nullptr) {
    std::free(type);
    release_shape(shape);
    return out_of_memory();
  }
  bool any = bounds.lower != INT64_MAX;
  bool any_data = bounds.true_lower != INT64_MAX;
  type->shape = shape;
  type->size = shape->bytes;
  type->lower_bound = any ? bounds.lower : 0;
  type->extent = any ? bounds.upper - bounds.lower : 0;
  type->true_lower_bound = any_data ? bounds.true_lower : 0;
  type->true_extent = any_data ? bounds.true_upper - bounds.true_lower : 0;
  type->contiguous = is_block(shape) && type->extent == type->size && type->lower_bound == 0;
  type->elements = elements;
  type->basic = basic;
  *made = type;
  return MPI_SUCCESS;
}

}  // namespace

Error make_contiguous(std::int64_t count, Datatype& old, Datatype** made) {
  return make_hvector(count, 1, old.extent, old, made);
}

Error make_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                   Datatype** made) {
  Bounds bounds;
  if (count > 0 && blocklength > 0) {
    std::int64_t inner = (blocklength - 1) * old.extent;
    bounds.cover(old, 0, inner);
    bounds.cover(old, (count - 1) * stride, inner);
  }
  const Shape* row = make_loop(blocklength, old.extent, 0, old.shape);
  const Shape* shape = row ? make_loop(count, stride, 0, row) : nullptr;
  release_shape(row);
  return adopt(shape, bounds, count * blocklength * old.elements, old.basic, made);
}

Error make_struct(const StructBlock* blocks, std::int64_t count, Datatype** made) {
  auto* parts = static_cast<Part*>(std::calloc(std::max<std::size_t>(count, 1), sizeof(Part)));
  if (!parts) return out_of_memory();
  Bounds bounds;
  std::int64_t elements = 0;
  Datatype* basic = count > 0 ? blocks[0].type->basic : nullptr;
  bool complete = true;
  for (std::int64_t i = 0; i < count; ++i) {
    const StructBlock& block = blocks[i];
    if (block.length > 0)
      bounds.cover(*block.type, block.displacement, (block.length - 1) * block.type->extent);
    elements += block.length * block.type->elements;
    if (block.length > 0 && block.type->basic != basic) basic = nullptr;
    parts[i] = {block.displacement, 0,
                make_loop(block.length, block.type->extent, 0, block.type->shape)};
    complete &= parts[i].shape != nullptr;
  }
  const Shape* shape = complete ? make_sequence(parts, count) : nullptr;
  for (std::int64_t i = 0; i < count; ++i) release_shape(parts[i].shape);
  std::free(parts);
  return adopt(shape, bounds, elements, basic, made);
}

Error make_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent, Datatype** made) {
  Error error = duplicate(old, made);
  if (error) return error;
  Datatype& type = **made;
  type.committed = false;
  type.lower_bound = lower_bound;
  type.extent = extent;
  type.contiguous = is_block(type.shape) && extent == type.size && lower_bound == 0;
  return MPI_SUCCESS;
}

Error duplicate(Datatype& old, Datatype** made) {
  retain_shape(old.shape);
  Bounds bounds;
  Error error = adopt(old.shape, bounds, old.elements, old.basic, made);
  if (error) return error;
  Datatype& type = **made;
  type.extent = old.extent;
  type.lower_bound = old.lower_bound;
  type.true_lower_bound = old.true_lower_bound;
  type.true_extent = old.true_extent;
  type.contiguous = old.contiguous;
  type.committed = old.committed;
  type.element = old.element;
  return MPI_SUCCESS;
}

void release(Datatype& type) {
  if (type.predefined) return;
  // ORDER datatype.references: release by each, acquire by the last; all uses are over.
  if (type.references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  release_shape(type.shape);
  std::free(&type);
}

}  // namespace baton::datatype
