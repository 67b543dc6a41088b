// These are the bodies of the procedures that look into or change a status.
#pragma once

#include <cstdint>

#include "base/error.hpp"
#include "datatype/datatype.hpp"

namespace baton::api {

// These count whole datatypes or predefined elements; MPI_UNDEFINED where the bytes do not divide
// evenly.
Error get_count(const MPI_Status* status, const Datatype& datatype, std::int64_t* count);
Error get_elements(const MPI_Status* status, const Datatype& datatype, std::int64_t* count);
Error status_set_elements(MPI_Status* status, const Datatype& datatype, std::int64_t count);

Error status_set_cancelled(MPI_Status* status, int flag);
Error test_cancelled(const MPI_Status* status, int* flag);

Error status_get_source(const MPI_Status* status, int* source);
Error status_get_tag(const MPI_Status* status, int* tag);
Error status_get_error(const MPI_Status* status, int* error);
Error status_set_source(MPI_Status* status, int source);
Error status_set_tag(MPI_Status* status, int tag);
Error status_set_error(MPI_Status* status, int error);

}  // namespace baton::api
