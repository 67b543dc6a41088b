// These are the bodies of the attribute procedures of communicators and datatypes. The older
// MPI_Keyval_* and MPI_Attr_* share the bodies of communicators.
#pragma once

#include "datatype/datatype.hpp"
#include "world/attribute.hpp"
#include "world/communicator.hpp"

namespace baton::api {

// Returns the attributes of a datatype, which dup copies and free deletes.
AttributeSet& attributes_of(Datatype& datatype);

Error comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                         int* keyval, void* extra_state);
Error comm_free_keyval(int* keyval);
Error comm_set_attr(Communicator& comm, int keyval, void* value);
// `value` points to a pointer, which gets the attribute as it was set, or a pointer to an int for a
// predefined one.
Error comm_get_attr(Communicator& comm, int keyval, void* value, int* flag);
Error comm_delete_attr(Communicator& comm, int keyval);

Error type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove,
                         int* keyval, void* extra_state);
Error type_free_keyval(int* keyval);
Error type_set_attr(Datatype& datatype, int keyval, void* value);
Error type_get_attr(Datatype& datatype, int keyval, void* value, int* flag);
Error type_delete_attr(Datatype& datatype, int keyval);

}  // namespace baton::api
