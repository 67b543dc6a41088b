#include "api/attribute.hpp"

#include "api/window.hpp"

namespace baton::api {

namespace {

using Kind = Keyval::Kind;

// Finds a key. It is argument 2, except in the procedures that free it.
Error find_key(Kind kind, int id, Keyval** keyval, int argument = 2) {
  if ((*keyval = find_keyval(kind, id))) return MPI_SUCCESS;
  if (id == MPI_KEYVAL_INVALID)
    return fail(MPI_ERR_KEYVAL, "argument %d: the key is MPI_KEYVAL_INVALID", argument);
  int* unused = nullptr;
  const bool of_window = id == MPI_WIN_BASE || id == MPI_WIN_SIZE || id == MPI_WIN_DISP_UNIT ||
                         id == MPI_WIN_CREATE_FLAVOR || id == MPI_WIN_MODEL;
  if ((kind == Kind::comm && predefined_attribute(id, &unused)) || (kind == Kind::win && of_window))
    return fail(MPI_ERR_KEYVAL, "argument %d: key %d is predefined: its attribute can only be read",
                argument, id);
  return fail(MPI_ERR_KEYVAL, "argument %d: %d is no live attribute key for this kind of object",
              argument, id);
}

Error free_key(Kind kind, int* id) {
  Keyval* keyval = nullptr;
  if (Error rc = find_key(kind, *id, &keyval, 1)) return rc;
  if (!free_keyval(*keyval))
    return fail(MPI_ERR_KEYVAL, "argument 1: key %d was freed before", *id);
  *id = MPI_KEYVAL_INVALID;
  return MPI_SUCCESS;
}

// A datatype keeps its set as a plain pointer, because layer 4 knows no attributes. The callbacks
// may change the set while they run, so it is used in place.
struct __attribute__((may_alias)) SetInPlace : AttributeSet {};
static_assert(sizeof(SetInPlace) == sizeof(void*));

}  // namespace

AttributeSet& attributes_of(Datatype& datatype) {
  return reinterpret_cast<SetInPlace&>(datatype.attributes);
}

Error comm_create_keyval(MPI_Comm_copy_attr_function* copy, MPI_Comm_delete_attr_function* remove,
                         int* keyval, void* extra_state) {
  return create_keyval(Kind::comm, reinterpret_cast<Keyval::Function>(copy),
                       reinterpret_cast<Keyval::Function>(remove), extra_state, keyval);
}

Error comm_free_keyval(int* keyval) {
  return free_key(Kind::comm, keyval);
}

Error comm_set_attr(Communicator& comm, int keyval, void* value) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::comm, keyval, &key)) return rc;
  return set_attribute(comm.attributes, comm.handle, *key, value);
}

Error comm_get_attr(Communicator& comm, int keyval, void* value, int* flag) {
  if (int* predefined = nullptr; predefined_attribute(keyval, &predefined)) {
    *flag = predefined != nullptr;
    if (predefined) *static_cast<void**>(value) = predefined;
    return MPI_SUCCESS;
  }
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::comm, keyval, &key)) return rc;
  *flag = get_attribute(comm.attributes, *key, static_cast<void**>(value));
  return MPI_SUCCESS;
}

Error comm_delete_attr(Communicator& comm, int keyval) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::comm, keyval, &key)) return rc;
  return delete_attribute(comm.attributes, comm.handle, *key);
}

Error type_create_keyval(MPI_Type_copy_attr_function* copy, MPI_Type_delete_attr_function* remove,
                         int* keyval, void* extra_state) {
  return create_keyval(Kind::type, reinterpret_cast<Keyval::Function>(copy),
                       reinterpret_cast<Keyval::Function>(remove), extra_state, keyval);
}

Error type_free_keyval(int* keyval) {
  return free_key(Kind::type, keyval);
}

Error type_set_attr(Datatype& datatype, int keyval, void* value) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::type, keyval, &key)) return rc;
  return set_attribute(attributes_of(datatype), datatype.handle, *key, value);
}

Error type_get_attr(Datatype& datatype, int keyval, void* value, int* flag) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::type, keyval, &key)) return rc;
  *flag = get_attribute(attributes_of(datatype), *key, static_cast<void**>(value));
  return MPI_SUCCESS;
}

Error type_delete_attr(Datatype& datatype, int keyval) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::type, keyval, &key)) return rc;
  return delete_attribute(attributes_of(datatype), datatype.handle, *key);
}

Error win_create_keyval(MPI_Win_copy_attr_function* copy, MPI_Win_delete_attr_function* remove,
                        int* keyval, void* extra_state) {
  return create_keyval(Kind::win, reinterpret_cast<Keyval::Function>(copy),
                       reinterpret_cast<Keyval::Function>(remove), extra_state, keyval);
}

Error win_free_keyval(int* keyval) {
  return free_key(Kind::win, keyval);
}

Error win_set_attr(Window& win, int keyval, void* value) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::win, keyval, &key)) return rc;
  return set_attribute(win.attributes, win.handle, *key, value);
}

// Gets the base itself; for the other attributes it gets a pointer to the number.
Error win_get_attr(Window& win, int keyval, void* value, int* flag) {
  void** result = static_cast<void**>(value);
  *flag = 1;
  switch (keyval) {
    case MPI_WIN_BASE:
      *result = win.base;
      return MPI_SUCCESS;
    case MPI_WIN_SIZE:
      *result = &win.size;
      return MPI_SUCCESS;
    case MPI_WIN_DISP_UNIT:
      *result = &win.unit;
      return MPI_SUCCESS;
    case MPI_WIN_CREATE_FLAVOR:
      *result = &win.flavor;
      return MPI_SUCCESS;
    case MPI_WIN_MODEL:
      *result = &win.model;
      return MPI_SUCCESS;
    default:
      break;
  }
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::win, keyval, &key)) return rc;
  *flag = get_attribute(win.attributes, *key, result);
  return MPI_SUCCESS;
}

Error win_delete_attr(Window& win, int keyval) {
  Keyval* key = nullptr;
  if (Error rc = find_key(Kind::win, keyval, &key)) return rc;
  return delete_attribute(win.attributes, win.handle, *key);
}

}  // namespace baton::api
