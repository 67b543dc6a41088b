#include "file/representation.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>

#include "datatype/construct.hpp"
#include "datatype/external32.hpp"

namespace baton::file {

namespace {

// All representations, the predefined ones last. The lock protects the list's head.
struct Registry {
  Representation internal{"internal", Representation::Kind::native, {}};
  Representation external32{"external32", Representation::Kind::external32, {}, &internal};
  Representation native{"native", Representation::Kind::native, {}, &external32};
  Representation* first = &native;
  std::mutex lock;
};
Registry registry;

// Finds out how many bytes a predefined type has in files.
Error element_bytes(const Representation& representation, Datatype& type, std::int64_t* bytes) {
  *bytes = type.size;
  if (representation.kind == Representation::Kind::external32)
    *bytes = datatype::external_size(type);
  if (representation.kind != Representation::Kind::registered) return MPI_SUCCESS;
  MPI_Aint extent = 0;
  const auto& functions = representation.functions;
  if (const int code = functions.extent(type.handle, &extent, functions.extra_state))
    return fail(MPI_ERR_CONVERSION,
                "the extent function of data representation \"%s\" returned code %d for %s",
                representation.name, code, type.name);
  if (extent < 0)
    return fail(MPI_ERR_CONVERSION,
                "the extent function of data representation \"%s\" gives %s %lld bytes",
                representation.name, type.name, static_cast<long long>(extent));
  *bytes = extent;
  return MPI_SUCCESS;
}

// Makes a type from a record, without a handle.
Error make(datatype::Recorder& record, Datatype** made) {
  if (Error error = datatype::construct(record, made)) return error;
  datatype::datatypes.remove((*made)->handle);
  return MPI_SUCCESS;
}

Error store_element(const Representation& representation, Datatype& type, Datatype** stored) {
  std::int64_t bytes;
  if (Error error = element_bytes(representation, type, &bytes)) return error;
  if (bytes == type.size && type.extent == type.size) {
    datatype::retain(type);
    *stored = &type;
    return MPI_SUCCESS;
  }
  datatype::Recorder record(MPI_COMBINER_CONTIGUOUS, datatype::CountForm::counts,
                            {.counts = 1, .types = 1});
  record.count(bytes).type(*datatype::datatypes.find(MPI_BYTE));
  return make(record, stored);
}

// Makes the type again of stored types.
Error make_again(const datatype::Contents& contents, Datatype* const* types, Datatype** made) {
  datatype::Recorder record(contents.combiner, contents.form,
                            {.addresses = contents.wide_count,
                             .integers = contents.integer_count,
                             .types = contents.type_count});
  record.integers(contents.integers, contents.integer_count);
  record.addresses(contents.wide, contents.wide_count);
  for (std::int64_t i = 0; i < contents.type_count; ++i) record.type(*types[i]);
  return make(record, made);
}

Error no_memory_for_types() {
  return fail(MPI_ERR_NO_MEM, "no memory for the types of a file's data representation");
}

Error convert(const Representation& representation, Datatype& type, std::int64_t count,
              void* buffer, void* packed, bool writes) {
  const auto& functions = representation.functions;
  int code;
  if (auto* wide = writes ? functions.write_wide : functions.read_wide) {
    code = wide(buffer, type.handle, count, packed, 0, functions.extra_state);
  } else {
    if (count > INT32_MAX)
      return fail(MPI_ERR_CONVERSION,
                  "data representation \"%s\" converts at most %d elements at once; "
                  "MPI_Register_datarep_c takes functions for more",
                  representation.name, INT32_MAX);
    auto* narrow = writes ? functions.write : functions.read;
    code = narrow(buffer, type.handle, static_cast<int>(count), packed, 0, functions.extra_state);
  }
  if (code == MPI_SUCCESS) return MPI_SUCCESS;
  return fail(MPI_ERR_CONVERSION, "the %s function of data representation \"%s\" returned code %d",
              writes ? "write conversion" : "read conversion", representation.name, code);
}

}  // namespace

bool Representation::converts(bool writes) const {
  if (kind != Kind::registered) return kind == Kind::external32;
  return writes ? functions.write || functions.write_wide : functions.read || functions.read_wide;
}

const Representation& native_representation() {
  return registry.native;
}

const Representation* find_representation(const char* name) {
  std::lock_guard guard(registry.lock);
  for (const Representation* each = registry.first; each; each = each->next)
    if (std::strcmp(each->name, name) == 0) return each;
  return nullptr;
}

Error register_representation(const char* name, const Representation::Functions& functions) {
  if (std::strlen(name) >= MPI_MAX_DATAREP_STRING)
    return fail(MPI_ERR_ARG, "argument 1 (datarep): the name is longer than %d characters",
                MPI_MAX_DATAREP_STRING - 1);
  if (find_representation(name))
    return fail(MPI_ERR_DUP_DATAREP,
                "argument 1 (datarep): there is a data representation \"%s\" already", name);
  auto* made = new (std::nothrow) Representation{};
  if (!made) return fail(MPI_ERR_NO_MEM, "no memory for a data representation");
  std::snprintf(made->name, sizeof made->name, "%s", name);
  made->kind = Representation::Kind::registered;
  made->functions = functions;
  std::lock_guard guard(registry.lock);
  made->next = registry.first;
  registry.first = made;
  return MPI_SUCCESS;
}

Error stored_type(const Representation& representation, Datatype& type, Datatype** stored) {
  if (representation.kind == Representation::Kind::native || !type.contents ||
      type.contents->type_count == 0) {
    if (representation.kind != Representation::Kind::native)
      return store_element(representation, type, stored);
    datatype::retain(type);
    *stored = &type;
    return MPI_SUCCESS;
  }
  const datatype::Contents& contents = *type.contents;
  const auto count = static_cast<std::size_t>(contents.type_count);
  auto** types = static_cast<Datatype**>(std::calloc(count, sizeof(Datatype*)));
  if (!types) return no_memory_for_types();
  Error error = MPI_SUCCESS;
  bool alike = true;
  for (std::size_t i = 0; i < count && !error; ++i) {
    error = stored_type(representation, *contents.types[i], &types[i]);
    alike &= types[i] == contents.types[i];
  }
  if (!error && alike) {
    datatype::retain(type);
    *stored = &type;
  } else if (!error) {
    error = make_again(contents, types, stored);
  }
  for (std::size_t i = 0; i < count; ++i)
    if (types[i]) datatype::release(*types[i]);
  std::free(types);
  return error;
}

Error to_file(const Representation& representation, Datatype& type, std::int64_t count,
              const void* buffer, void* packed) {
  if (representation.kind == Representation::Kind::external32)
    return datatype::pack_external(type, count, buffer, packed);
  return convert(representation, type, count, const_cast<void*>(buffer), packed, true);
}

Error from_file(const Representation& representation, Datatype& type, std::int64_t count,
                void* buffer, const void* packed, std::int64_t each, std::int64_t* stored,
                std::int64_t* moved) {
  if (representation.kind == Representation::Kind::external32)
    return datatype::unpack_external_part(type, count, buffer, packed, *stored, stored, moved);
  const std::int64_t whole = each > 0 ? std::min(*stored / each, count) : 0;
  *stored = whole * each;
  *moved = whole * type.size;
  if (whole == 0) return MPI_SUCCESS;
  return convert(representation, type, whole, buffer, const_cast<void*>(packed), false);
}

}  // namespace baton::file
