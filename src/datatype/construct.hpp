// This makes datatypes from the record of a constructor's arguments (datatype/contents.hpp). The
// entry points that make datatypes call it; array.cpp and layout.cpp have the parts by constructor.
#pragma once

#include "base/error.hpp"
#include "datatype/contents.hpp"
#include "datatype/datatype.hpp"

namespace baton::datatype {

// Makes the datatype that a record describes, uncommitted (but a duplicate is as its original was)
// and with a handle. Errors: MPI_ERR_ARG for arguments that contradict each other, MPI_ERR_COUNT
// for a size or bounds beyond 64 bits, MPI_ERR_NO_MEM.
Error construct(Recorder& record, Datatype** made);

// Makes a second object and handle for an equal type (MPI_Type_get_contents hands out new ones),
// without name and attributes. A predefined type is returned as it is.
Error equivalent(Datatype& type, Datatype** made);

}  // namespace baton::datatype
