#include "api/status.hpp"

#include "base/status_fields.hpp"

namespace baton::api {

Error get_count(const MPI_Status* status, const Datatype& datatype, std::int64_t* count) {
  std::int64_t bytes = status_bytes(*status);
  if (bytes == 0)
    *count = 0;
  else if (bytes < 0 || datatype.size == 0 || bytes % datatype.size != 0)
    *count = MPI_UNDEFINED;
  else
    *count = bytes / datatype.size;
  return MPI_SUCCESS;
}

Error get_elements(const MPI_Status* status, const Datatype& datatype, std::int64_t* count) {
  std::int64_t bytes = status_bytes(*status);
  if (bytes == 0) {
    *count = 0;
  } else if (bytes < 0 || datatype.size == 0) {
    *count = MPI_UNDEFINED;
  } else if (bytes % datatype.size == 0) {
    *count = bytes / datatype.size * datatype.elements;
  } else {
    // Part of a type: its elements can be counted where all have one size. A type that mixes sizes
    // keeps no map of its elements to count them by.
    std::int64_t element = datatype.basic ? datatype.basic->size : 0;
    *count = element && bytes % element == 0 ? bytes / element : MPI_UNDEFINED;
  }
  return MPI_SUCCESS;
}

Error status_set_elements(MPI_Status* status, const Datatype& datatype, std::int64_t count) {
  std::int64_t per_type = datatype.elements;
  std::int64_t bytes = 0;
  if (count == 0 || datatype.size == 0) {
    bytes = 0;
  } else if (per_type > 0 && count % per_type == 0) {
    if (__builtin_mul_overflow(count / per_type, datatype.size, &bytes))
      return fail(MPI_ERR_COUNT, "argument 3 (count): that many elements overflow a 64-bit size");
  } else if (datatype.basic) {
    if (__builtin_mul_overflow(count, datatype.basic->size, &bytes))
      return fail(MPI_ERR_COUNT, "argument 3 (count): that many elements overflow a 64-bit size");
  } else {
    return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                "%lld elements are no whole number of datatypes, and this datatype mixes sizes",
                static_cast<long long>(count));
  }
  set_status_bytes(*status, bytes);
  return MPI_SUCCESS;
}

Error status_set_cancelled(MPI_Status* status, int flag) {
  set_status_cancelled(*status, flag != 0);
  return MPI_SUCCESS;
}

Error test_cancelled(const MPI_Status* status, int* flag) {
  *flag = status_cancelled(*status);
  return MPI_SUCCESS;
}

Error status_get_source(const MPI_Status* status, int* source) {
  *source = status->MPI_SOURCE;
  return MPI_SUCCESS;
}

Error status_get_tag(const MPI_Status* status, int* tag) {
  *tag = status->MPI_TAG;
  return MPI_SUCCESS;
}

Error status_get_error(const MPI_Status* status, int* error) {
  *error = status->MPI_ERROR;
  return MPI_SUCCESS;
}

Error status_set_source(MPI_Status* status, int source) {
  status->MPI_SOURCE = source;
  return MPI_SUCCESS;
}

Error status_set_tag(MPI_Status* status, int tag) {
  status->MPI_TAG = tag;
  return MPI_SUCCESS;
}

Error status_set_error(MPI_Status* status, int error) {
  status->MPI_ERROR = error;
  return MPI_SUCCESS;
}

}  // namespace baton::api
