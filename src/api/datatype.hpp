// These are the bodies of the procedures about datatypes. The constructors record their arguments,
// and datatype/construct.cpp makes the type from the record.
#pragma once

#include <cstdint>

#include "datatype/contents.hpp"
#include "datatype/datatype.hpp"

namespace baton::api {

using datatype::CountForm;
using datatype::Exact;
using datatype::Recorder;

// Ends a constructor: gives the type's handle, or the error in its arguments.
Error make_type(Recorder& record, MPI_Datatype* made);

Error type_contiguous(std::int64_t count, Datatype& old, MPI_Datatype* made, CountForm form);
Error type_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                  MPI_Datatype* made, CountForm form);
Error type_create_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride,
                          Datatype& old, MPI_Datatype* made, CountForm form);
Error type_create_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent,
                          MPI_Datatype* made, CountForm form);
Error type_dup(Datatype& old, MPI_Datatype* made);
Error type_commit(MPI_Datatype* type);
Error type_free(MPI_Datatype* type);

Error type_size(Datatype& type, std::int64_t* size);
inline Error type_size_x(Datatype& type, MPI_Count* size) {
  return type_size(type, size);
}
Error type_get_extent(Datatype& type, std::int64_t* lower_bound, std::int64_t* extent);
Error type_get_true_extent(Datatype& type, std::int64_t* lower_bound, std::int64_t* extent);
Error type_set_name(Datatype& type, const char* name);
// A null `type` is MPI_DATATYPE_NULL, which has a name, too.
Error type_get_name(Datatype* type, char* name, int* length);

// The forms without large counts raise MPI_ERR_TYPE for a type made by a procedure with large
// counts.
Error type_get_envelope(Datatype& type, std::int64_t* integers, std::int64_t* addresses,
                        std::int64_t* datatypes, int* combiner);
Error type_get_envelope(Datatype& type, MPI_Count* integers, MPI_Count* addresses,
                        MPI_Count* large_counts, MPI_Count* datatypes, int* combiner);
// Errors: MPI_ERR_ARG for arrays that are too short, MPI_ERR_TYPE for named predefined types.
Error type_get_contents(Datatype& type, std::int64_t max_integers, std::int64_t max_addresses,
                        std::int64_t max_datatypes, int* integers, MPI_Aint* addresses,
                        MPI_Datatype* datatypes);
Error type_get_contents(Datatype& type, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int* integers,
                        MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes);

// These give predefined types without names: the same arguments give the same handle.
Error type_create_f90_integer(int range, MPI_Datatype* type);
Error type_create_f90_real(int precision, int range, MPI_Datatype* type);
Error type_create_f90_complex(int precision, int range, MPI_Datatype* type);
// Gives MPI_DATATYPE_NULL, without an error, for a pair that is not predefined.
Error type_get_value_index(Datatype& value, Datatype& index, MPI_Datatype* pair);
// Gives the named type of a class (MPI_TYPECLASS_REAL ...) and a size in bytes. Error: MPI_ERR_ARG
// when there is none.
Error type_match_size(int type_class, int size, MPI_Datatype* type);

// Records array_of_types. Returns false when one of the types is not alive, which is explained.
bool record_types(Recorder& record, const MPI_Datatype* types, std::int64_t count);

template <class Length, class Displacement>
Error type_create_struct(std::int64_t count, const Length* lengths,
                         const Displacement* displacements, const MPI_Datatype* types,
                         MPI_Datatype* made, CountForm form) {
  Recorder record(MPI_COMBINER_STRUCT, form,
                  {.counts = Exact(count) + 1, .addresses = count, .types = count});
  record.count(count).counts(lengths, count).addresses(displacements, count);
  return record_types(record, types, count) ? make_type(record, made) : MPI_ERR_TYPE;
}

template <class Length, class Displacement>
Error type_indexed(std::int64_t count, const Length* lengths, const Displacement* displacements,
                   Datatype& old, MPI_Datatype* made, CountForm form) {
  Recorder record(MPI_COMBINER_INDEXED, form, {.counts = Exact(count) * 2 + 1, .types = 1});
  record.count(count).counts(lengths, count).counts(displacements, count).type(old);
  return make_type(record, made);
}
template <class Length, class Displacement>
Error type_create_hindexed(std::int64_t count, const Length* lengths,
                           const Displacement* displacements, Datatype& old, MPI_Datatype* made,
                           CountForm form) {
  Recorder record(MPI_COMBINER_HINDEXED, form,
                  {.counts = Exact(count) + 1, .addresses = count, .types = 1});
  record.count(count).counts(lengths, count).addresses(displacements, count).type(old);
  return make_type(record, made);
}
template <class Displacement>
Error type_create_indexed_block(std::int64_t count, std::int64_t length,
                                const Displacement* displacements, Datatype& old,
                                MPI_Datatype* made, CountForm form) {
  Recorder record(MPI_COMBINER_INDEXED_BLOCK, form, {.counts = Exact(count) + 2, .types = 1});
  record.count(count).count(length).counts(displacements, count).type(old);
  return make_type(record, made);
}
template <class Displacement>
Error type_create_hindexed_block(std::int64_t count, std::int64_t length,
                                 const Displacement* displacements, Datatype& old,
                                 MPI_Datatype* made, CountForm form) {
  Recorder record(MPI_COMBINER_HINDEXED_BLOCK, form, {.counts = 2, .addresses = count, .types = 1});
  record.count(count).count(length).addresses(displacements, count).type(old);
  return make_type(record, made);
}

template <class Size>
Error type_create_subarray(int dimensions, const Size* sizes, const Size* subsizes,
                           const Size* starts, int order, Datatype& old, MPI_Datatype* made,
                           CountForm form) {
  Recorder record(MPI_COMBINER_SUBARRAY, form,
                  {.counts = Exact(dimensions) * 3, .integers = 2, .types = 1});
  record.integer(dimensions).counts(sizes, dimensions).counts(subsizes, dimensions);
  record.counts(starts, dimensions).integer(order).type(old);
  return make_type(record, made);
}
template <class Size>
Error type_create_darray(int size, int rank, int dimensions, const Size* sizes,
                         const int* distributions, const int* arguments, const int* processes,
                         int order, Datatype& old, MPI_Datatype* made, CountForm form) {
  Recorder record(MPI_COMBINER_DARRAY, form,
                  {.counts = dimensions, .integers = Exact(dimensions) * 3 + 4, .types = 1});
  record.integer(size).integer(rank).integer(dimensions).counts(sizes, dimensions);
  record.integers(distributions, dimensions).integers(arguments, dimensions);
  record.integers(processes, dimensions).integer(order).type(old);
  return make_type(record, made);
}

}  // namespace baton::api
