#include "api/datatype.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <tuple>

#include "api/attribute.hpp"
#include "api/name.hpp"
#include "datatype/construct.hpp"

namespace baton::api {

namespace {

Error look_up(MPI_Datatype* handle, Datatype** type) {
  *type = datatype::datatypes.find(*handle);
  if (*type) return MPI_SUCCESS;
  return fail(MPI_ERR_TYPE, "argument 1 (datatype): this is not a datatype that is alive");
}

}  // namespace

Error make_type(Recorder& record, MPI_Datatype* handle) {
  Datatype* made = nullptr;
  Error error = datatype::construct(record, &made);
  if (!error) *handle = made->handle;
  return error;
}

Error type_contiguous(std::int64_t count, Datatype& old, MPI_Datatype* handle, CountForm form) {
  Recorder record(MPI_COMBINER_CONTIGUOUS, form, {.counts = 1, .types = 1});
  record.count(count).type(old);
  return make_type(record, handle);
}

Error type_vector(std::int64_t count, std::int64_t blocklength, std::int64_t stride, Datatype& old,
                  MPI_Datatype* handle, CountForm form) {
  Recorder record(MPI_COMBINER_VECTOR, form, {.counts = 3, .types = 1});
  record.count(count).count(blocklength).count(stride).type(old);
  return make_type(record, handle);
}

Error type_create_hvector(std::int64_t count, std::int64_t blocklength, std::int64_t stride,
                          Datatype& old, MPI_Datatype* handle, CountForm form) {
  Recorder record(MPI_COMBINER_HVECTOR, form, {.counts = 2, .addresses = 1, .types = 1});
  record.count(count).count(blocklength).address(stride).type(old);
  return make_type(record, handle);
}

Error type_create_resized(Datatype& old, std::int64_t lower_bound, std::int64_t extent,
                          MPI_Datatype* handle, CountForm form) {
  Recorder record(MPI_COMBINER_RESIZED, form, {.addresses = 2, .types = 1});
  record.address(lower_bound).address(extent).type(old);
  return make_type(record, handle);
}

bool record_types(Recorder& record, const MPI_Datatype* types, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    Datatype* type = datatype::datatypes.find(types[i]);
    if (!type) {
      std::ignore = fail(MPI_ERR_TYPE,
                         "argument array_of_types: element %lld is not a datatype that is alive",
                         static_cast<long long>(i));
      return false;
    }
    record.type(*type);
  }
  return true;
}

// Duplicates a type. The copy callbacks see the old type; the attributes that they have copied
// before one fails are deleted again.
Error type_dup(Datatype& old, MPI_Datatype* handle) {
  Recorder record(MPI_COMBINER_DUP, CountForm::ints, {.types = 1});
  record.type(old);
  Datatype* made = nullptr;
  if (Error error = datatype::construct(record, &made)) return error;
  if (Error error = copy_attributes(attributes_of(old), old.handle, attributes_of(*made))) {
    Explanation why = last_explanation();
    if (delete_attributes(attributes_of(*made), made->handle))
      forget_attributes(attributes_of(*made));
    last_explanation() = why;
    datatype::datatypes.remove(made->handle);
    datatype::release(*made);
    return error;
  }
  *handle = made->handle;
  return MPI_SUCCESS;
}

Error type_commit(MPI_Datatype* handle) {
  Datatype* type;
  if (Error error = look_up(handle, &type)) return error;
  // Another thread may commit the type at the same time.
  if (!type->committed) std::atomic_ref(type->committed).store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

Error type_free(MPI_Datatype* handle) {
  Datatype* type;
  if (Error error = look_up(handle, &type)) return error;
  if (type->predefined)
    return fail(MPI_ERR_TYPE, "argument 1 (datatype): %s is predefined and cannot be freed",
                type->name);
  // A callback that refuses keeps the type alive, with the attributes that are left.
  if (Error error = delete_attributes(attributes_of(*type), type->handle)) return error;
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
  set_name(type.name, name);
  return MPI_SUCCESS;
}

Error type_get_name(Datatype* type, char* name, int* length) {
  *length = type ? copy_name(type->name, name)
                 : std::snprintf(name, MPI_MAX_OBJECT_NAME, "MPI_DATATYPE_NULL");
  return MPI_SUCCESS;
}

namespace {

Error made_with_large_counts() {
  return fail(MPI_ERR_TYPE,
              "argument 1 (datatype): it was made by a procedure with large counts; call "
              "MPI_Type_get_envelope_c and MPI_Type_get_contents_c");
}

Error too_short(const char* array, std::int64_t space, std::int64_t needed) {
  return fail(
      MPI_ERR_ARG,
      "argument %s: it has %lld elements and %lld are needed, as MPI_Type_get_envelope says", array,
      static_cast<long long>(space), static_cast<long long>(needed));
}

// Gives new handles for derived types; predefined ones stay as they are. If one cannot be made, it
// gives none.
Error give_types(const datatype::Contents& contents, MPI_Datatype* handles) {
  for (std::int64_t i = 0; i < contents.type_count; ++i) {
    Datatype* given = nullptr;
    if (Error error = datatype::equivalent(*contents.types[i], &given)) {
      while (--i >= 0) {
        Datatype* before = datatype::datatypes.find(handles[i]);
        if (before->predefined) continue;
        datatype::datatypes.remove(handles[i]);
        datatype::release(*before);
      }
      return error;
    }
    handles[i] = given->handle;
  }
  return MPI_SUCCESS;
}

}  // namespace

Error type_get_envelope(Datatype& type, MPI_Count* integers, MPI_Count* addresses,
                        MPI_Count* large_counts, MPI_Count* datatypes, int* combiner) {
  const datatype::Contents* contents = type.contents;
  *integers = contents ? contents->integer_count : 0;
  *addresses = contents ? contents->address_count() : 0;
  *large_counts = contents ? contents->large_count() : 0;
  *datatypes = contents ? contents->type_count : 0;
  *combiner = contents ? contents->combiner : MPI_COMBINER_NAMED;
  return MPI_SUCCESS;
}

Error type_get_envelope(Datatype& type, std::int64_t* integers, std::int64_t* addresses,
                        std::int64_t* datatypes, int* combiner) {
  if (type.contents && type.contents->large_count() > 0) return made_with_large_counts();
  MPI_Count none;
  return type_get_envelope(type, integers, addresses, &none, datatypes, combiner);
}

Error type_get_contents(Datatype& type, MPI_Count max_integers, MPI_Count max_addresses,
                        MPI_Count max_large_counts, MPI_Count max_datatypes, int* integers,
                        MPI_Aint* addresses, MPI_Count* large_counts, MPI_Datatype* datatypes) {
  const datatype::Contents* contents = type.contents;
  if (!contents)
    return fail(MPI_ERR_TYPE,
                "argument 1 (datatype): %s is a named predefined type; it has no "
                "contents",
                type.name);
  if (max_integers < contents->integer_count)
    return too_short("array_of_integers", max_integers, contents->integer_count);
  if (max_addresses < contents->address_count())
    return too_short("array_of_addresses", max_addresses, contents->address_count());
  if (max_large_counts < contents->large_count())
    return too_short("array_of_large_counts", max_large_counts, contents->large_count());
  if (max_datatypes < contents->type_count)
    return too_short("array_of_datatypes", max_datatypes, contents->type_count);
  if (Error error = give_types(*contents, datatypes)) return error;
  std::copy_n(contents->integers, contents->integer_count, integers);
  std::copy_n(contents->wide, contents->address_count(), addresses);
  std::copy_n(contents->wide, contents->large_count(), large_counts);
  return MPI_SUCCESS;
}

Error type_get_contents(Datatype& type, std::int64_t max_integers, std::int64_t max_addresses,
                        std::int64_t max_datatypes, int* integers, MPI_Aint* addresses,
                        MPI_Datatype* datatypes) {
  if (type.contents && type.contents->large_count() > 0) return made_with_large_counts();
  return type_get_contents(type, max_integers, max_addresses, 0, max_datatypes, integers, addresses,
                           nullptr, datatypes);
}

}  // namespace baton::api
