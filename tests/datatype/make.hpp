// The constructors as plain functions, for tests: each records its arguments and makes the type.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "datatype/construct.hpp"
#include "datatype/datatype.hpp"

namespace baton::datatype {

using Numbers64 = std::vector<std::int64_t>;

inline Error make_contiguous(std::int64_t count, Datatype& old, Datatype** made) {
  Recorder record(MPI_COMBINER_CONTIGUOUS, CountForm::counts, {.counts = 1, .types = 1});
  record.count(count).type(old);
  return construct(record, made);
}

inline Error make_vector(std::int64_t count, std::int64_t length, std::int64_t stride,
                         Datatype& old, Datatype** made) {
  Recorder record(MPI_COMBINER_VECTOR, CountForm::counts, {.counts = 3, .types = 1});
  record.count(count).count(length).count(stride).type(old);
  return construct(record, made);
}

inline Error make_hvector(std::int64_t count, std::int64_t length, std::int64_t stride,
                          Datatype& old, Datatype** made) {
  Recorder record(MPI_COMBINER_HVECTOR, CountForm::counts,
                  {.counts = 2, .addresses = 1, .types = 1});
  record.count(count).count(length).address(stride).type(old);
  return construct(record, made);
}

// MPI_COMBINER_INDEXED or MPI_COMBINER_HINDEXED.
inline Error make_indexed(int combiner, const Numbers64& lengths, const Numbers64& displacements,
                          Datatype& old, Datatype** made) {
  auto count = static_cast<std::int64_t>(lengths.size());
  Recorder record(combiner, CountForm::counts, {.counts = Exact(count) * 2 + 1, .types = 1});
  record.count(count).counts(lengths.data(), count).counts(displacements.data(), count).type(old);
  return construct(record, made);
}

// MPI_COMBINER_INDEXED_BLOCK or MPI_COMBINER_HINDEXED_BLOCK.
inline Error make_indexed_block(int combiner, std::int64_t length, const Numbers64& displacements,
                                Datatype& old, Datatype** made) {
  auto count = static_cast<std::int64_t>(displacements.size());
  Recorder record(combiner, CountForm::counts, {.counts = Exact(count) + 2, .types = 1});
  record.count(count).count(length).counts(displacements.data(), count).type(old);
  return construct(record, made);
}

struct StructBlock {
  std::int64_t length;
  std::int64_t displacement;
  Datatype* type;
};
inline Error make_struct(const StructBlock* blocks, std::int64_t count, Datatype** made) {
  Recorder record(MPI_COMBINER_STRUCT, CountForm::counts,
                  {.counts = Exact(count) + 1, .addresses = count, .types = count});
  record.count(count);
  for (std::int64_t i = 0; i < count; ++i) record.count(blocks[i].length);
  for (std::int64_t i = 0; i < count; ++i) record.address(blocks[i].displacement);
  for (std::int64_t i = 0; i < count; ++i) record.type(*blocks[i].type);
  return construct(record, made);
}

inline Error make_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent,
                          Datatype** made) {
  Recorder record(MPI_COMBINER_RESIZED, CountForm::ints, {.addresses = 2, .types = 1});
  record.address(lower_bound).address(extent).type(old);
  return construct(record, made);
}

inline Error duplicate(Datatype& old, Datatype** made) {
  Recorder record(MPI_COMBINER_DUP, CountForm::ints, {.types = 1});
  record.type(old);
  return construct(record, made);
}

inline Error make_subarray(const Numbers64& sizes, const Numbers64& subsizes,
                           const Numbers64& starts, int order, Datatype& old, Datatype** made) {
  auto count = static_cast<std::int64_t>(sizes.size());
  Recorder record(MPI_COMBINER_SUBARRAY, CountForm::counts,
                  {.counts = Exact(count) * 3, .integers = 2, .types = 1});
  record.integer(static_cast<int>(count)).counts(sizes.data(), count);
  record.counts(subsizes.data(), count).counts(starts.data(), count).integer(order).type(old);
  return construct(record, made);
}

inline Error make_darray(int size, int rank, const Numbers64& sizes, const std::vector<int>& kinds,
                         const std::vector<int>& arguments, const std::vector<int>& processes,
                         int order, Datatype& old, Datatype** made) {
  auto count = static_cast<std::int64_t>(sizes.size());
  Recorder record(MPI_COMBINER_DARRAY, CountForm::counts,
                  {.counts = count, .integers = Exact(count) * 3 + 4, .types = 1});
  record.integer(size).integer(rank).integer(static_cast<int>(count)).counts(sizes.data(), count);
  record.integers(kinds.data(), count).integers(arguments.data(), count);
  record.integers(processes.data(), count).integer(order).type(old);
  return construct(record, made);
}

}  // namespace baton::datatype
