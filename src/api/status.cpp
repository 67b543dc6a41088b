#include "api/status.hpp"

#include "base/status_fields.hpp"
#include "datatype/elements.hpp"

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
  } else {
    std::int64_t elements = datatype::elements_in(datatype, bytes);
    *count = elements < 0 ? MPI_UNDEFINED : elements;
  }
  return MPI_SUCCESS;
}

Error status_set_elements(MPI_Status* status, const Datatype& datatype, std::int64_t count) {
  if (count < 0)
    return fail(MPI_ERR_COUNT, "argument 3 (count) is %lld; it must be at least 0",
                static_cast<long long>(count));
  std::int64_t bytes = datatype.size == 0 ? 0 : datatype::bytes_of_elements(datatype, count);
  if (bytes < 0)
    return fail(MPI_ERR_COUNT, "argument 3 (count): that many elements overflow a 64-bit size");
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
