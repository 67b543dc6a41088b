#include "api/datatype.hpp"

#include <cstdio>
#include <cstdlib>

namespace baton::api {

namespace {

Error give(Error error, const Datatype* made, MPI_Datatype* handle) {
  if (!error) *handle = made->handle;
  return error;
}

Error look_up(MPI_Datatype* handle, Datatype** type) {
  *type = datatype::datatypes.find(*handle);
  if (*type) return MPI_SUCCESS;
  return fail(MPI_ERR_TYPE, "argument 1 (datatype): this is not a datatype that is alive");
}

}  // namespace

Error type_contiguous(std::int64_t count, Datatype& old, MPI_Datatype* handle) {
  Datatype* made = nullptr;
  Error error = datatype::make_contiguous(count, old, &made);
  return give(error, made, handle);
}

Error type_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                  MPI_Datatype* handle) {
  return type_create_hvector(count, blocklength, stride * old.extent, old, handle);
}

Error type_create_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride,
                          Datatype& old, MPI_Datatype* handle) {
  Datatype* made = nullptr;
  Error error = datatype::make_hvector(count, blocklength, stride, old, &made);
  return give(error, made, handle);
}

Error type_create_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent,
                          MPI_Datatype* handle) {
  Datatype* made = nullptr;
  Error error = datatype::make_resized(old, lower_bound, extent, &made);
  return give(error, made, handle);
}

Error type_dup(Datatype& old, MPI_Datatype* handle) {
  Datatype* made = nullptr;
  Error error = datatype::duplicate(old, &made);
  return give(error, made, handle);
}

Error type_commit(MPI_Datatype* handle) {
  Datatype* type;
  if (Error error = look_up(handle, &type)) return error;
  type->committed = true;
  return MPI_SUCCESS;
}

Error type_free(MPI_Datatype* handle) {
  Datatype* type;
  if (Error error = look_up(handle, &type)) return error;
  if (type->predefined)
    return fail(MPI_ERR_TYPE, "argument 1 (datatype): %s is predefined and cannot be freed",
                type->name);
  datatype::datatypes.remove(*handle);
  datatype::release(*type);
  *handle = MPI_DATATYPE_NULL;
  return MPI_SUCCESS;
}

Error type_size(Datatype& type, std::int64_t* size) {
  *size = type.size;
  return MPI_SUCCESS;
}

Error type_get_extent(Datatype& type, std::int64_t* lower_bound, std::int64_t* extent) {
  *lower_bound = type.lower_bound;
  *extent = type.extent;
  return MPI_SUCCESS;
}

Error type_get_true_extent(Datatype& type, std::int64_t* lower_bound, std::int64_t* extent) {
  *lower_bound = type.true_lower_bound;
  *extent = type.true_extent;
  return MPI_SUCCESS;
}

Error type_set_name(Datatype& type, const char* name) {
  std::snprintf(type.name, sizeof type.name, "%s", name);
  return MPI_SUCCESS;
}

Error type_get_name(Datatype& type, char* name, int* length) {
  *length = std::snprintf(name, MPI_MAX_OBJECT_NAME, "%s", type.name);
  return MPI_SUCCESS;
}

Datatype* type_at(const MPI_Datatype* types, std::int64_t index) {
  return datatype::datatypes.find(types[index]);
}

Error create_from_blocks(std::int64_t count, BlockAt block_at, const void* arrays,
                         MPI_Datatype* handle) {
  auto bytes = (static_cast<std::size_t>(count) + 1) * sizeof(datatype::StructBlock);
  auto* blocks = static_cast<datatype::StructBlock*>(std::malloc(bytes));
  if (!blocks)
    return fail(MPI_ERR_NO_MEM, "no memory for a datatype of %lld blocks",
                static_cast<long long>(count));
  Error error = MPI_SUCCESS;
  for (std::int64_t i = 0; i < count && !error; ++i) {
    blocks[i] = block_at(arrays, i);
    if (!blocks[i].type)
      error = fail(MPI_ERR_TYPE, "array_of_types: element %lld is not a datatype that is alive",
                   static_cast<long long>(i));
  }
  Datatype* made = nullptr;
  if (!error) error = datatype::make_struct(blocks, count, &made);
  std::free(blocks);
  return give(error, made, handle);
}

}  // namespace baton::api
