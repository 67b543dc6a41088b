// Bodies of the procedures about datatypes.
#pragma once

#include <cstdint>

#include "datatype/datatype.hpp"

namespace baton::api {

Error type_contiguous(std::int64_t count, Datatype& old, MPI_Datatype* made);
Error type_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                  MPI_Datatype* made);
Error type_create_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride,
                          Datatype& old, MPI_Datatype* made);
Error type_create_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent,
                          MPI_Datatype* made);
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
Error type_get_name(Datatype& type, char* name, int* length);

// Of many blocks: the block at an index, whatever the caller's arrays look like.
using BlockAt = datatype::StructBlock (*)(const void* arrays, std::int64_t index);
Error create_from_blocks(std::int64_t count, BlockAt block_at, const void* arrays,
                         MPI_Datatype* made);
// The type behind an element of array_of_types, or null.
Datatype* type_at(const MPI_Datatype* types, std::int64_t index);

template <class Length, class Displacement>
Error type_create_struct(std::int64_t count, const Length* lengths,
                         const Displacement* displacements, const MPI_Datatype* types,
                         MPI_Datatype* made) {
  struct Arrays {
    const Length* lengths;
    const Displacement* displacements;
    const MPI_Datatype* types;
  } arrays{lengths, displacements, types};
  auto block_at = [](const void* all, std::int64_t i) -> datatype::StructBlock {
    auto& a = *static_cast<const Arrays*>(all);
    return {a.lengths[i], a.displacements[i], type_at(a.types, i)};
  };
  return create_from_blocks(count, block_at, &arrays, made);
}

// The indexed forms: displacements in units of `unit` bytes, one length for all where there is no
// array of them.
template <class Length, class Displacement>
Error create_indexed(std::int64_t count, const Length* lengths, std::int64_t length,
                     const Displacement* displacements, std::int64_t unit, Datatype& old,
                     MPI_Datatype* made) {
  struct Arrays {
    const Length* lengths;
    std::int64_t length;
    const Displacement* displacements;
    std::int64_t unit;
    Datatype* old;
  } arrays{lengths, length, displacements, unit, &old};
  auto block_at = [](const void* all, std::int64_t i) -> datatype::StructBlock {
    auto& a = *static_cast<const Arrays*>(all);
    return {a.lengths ? static_cast<std::int64_t>(a.lengths[i]) : a.length,
            static_cast<std::int64_t>(a.displacements[i]) * a.unit, a.old};
  };
  return create_from_blocks(count, block_at, &arrays, made);
}
template <class Length, class Displacement>
Error type_indexed(std::int64_t count, const Length* lengths, const Displacement* displacements,
                   Datatype& old, MPI_Datatype* made) {
  return create_indexed(count, lengths, 0, displacements, old.extent, old, made);
}
template <class Length, class Displacement>
Error type_create_hindexed(std::int64_t count, const Length* lengths,
                           const Displacement* displacements, Datatype& old, MPI_Datatype* made) {
  return create_indexed(count, lengths, 0, displacements, 1, old, made);
}
template <class Displacement>
Error type_create_indexed_block(std::int64_t count, std::int64_t length,
                                const Displacement* displacements, Datatype& old,
                                MPI_Datatype* made) {
  return create_indexed<int>(count, nullptr, length, displacements, old.extent, old, made);
}
template <class Displacement>
Error type_create_hindexed_block(std::int64_t count, std::int64_t length,
                                 const Displacement* displacements, Datatype& old,
                                 MPI_Datatype* made) {
  return create_indexed<int>(count, nullptr, length, displacements, 1, old, made);
}

}  // namespace baton::api
