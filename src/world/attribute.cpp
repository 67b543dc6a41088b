#include "world/attribute.hpp"

#include <mutex>
#include <new>

#include "world/error_code.hpp"

namespace baton {

namespace {

// Numbers of keys are never used twice, so that a freed key is found out. Those below are the
// ABI's.
constexpr int first_keyval = 1024;

constinit Keyval* keyvals = nullptr;
constinit int next_keyval = first_keyval;
// Guards the list of keys and their use counts. Keys are few and their calls rare.
constinit std::mutex keyval_lock;

constinit int tag_ub_value = tag_upper_bound;
constinit int io_value = MPI_ANY_SOURCE;
constinit int host_value = MPI_PROC_NULL;
// CLOCK_MONOTONIC is one clock for all processes of a node, but not for all nodes.
constinit int wtime_is_global_value = 0;
constinit int universe_size_value = -1;
constinit int appnum_value = -1;

const Keyval::Function dup_function = reinterpret_cast<Keyval::Function>(MPI_COMM_DUP_FN);

template <typename Handle>
int copy_value(const Keyval& keyval, void* handle, void* in, void* out, int* flag) {
  using Copy = int (*)(Handle, int, void*, void*, void*, int*);
  return reinterpret_cast<Copy>(keyval.copy)(static_cast<Handle>(handle), keyval.id,
                                             keyval.extra_state, in, out, flag);
}

template <typename Handle>
int delete_value(const Keyval& keyval, void* handle, void* value) {
  using Delete = int (*)(Handle, int, void*, void*);
  return reinterpret_cast<Delete>(keyval.remove)(static_cast<Handle>(handle), keyval.id, value,
                                                 keyval.extra_state);
}

// The callback's answer is the program's: it becomes the code of the failing call.
Error call_copy(const Keyval& keyval, void* handle, void* in, void** out, int* flag) {
  *flag = 0;
  if (!keyval.copy) return MPI_SUCCESS;
  if (keyval.copy == dup_function) {
    *flag = 1;
    *out = in;
    return MPI_SUCCESS;
  }
  switch (keyval.kind) {
    case Keyval::Kind::comm:
      return copy_value<MPI_Comm>(keyval, handle, in, out, flag);
    case Keyval::Kind::type:
      return copy_value<MPI_Datatype>(keyval, handle, in, out, flag);
    case Keyval::Kind::win:
      return copy_value<MPI_Win>(keyval, handle, in, out, flag);
  }
  __builtin_unreachable();
}

Error call_delete(const Keyval& keyval, void* handle, void* value) {
  if (!keyval.remove) return MPI_SUCCESS;
  switch (keyval.kind) {
    case Keyval::Kind::comm:
      return delete_value<MPI_Comm>(keyval, handle, value);
    case Keyval::Kind::type:
      return delete_value<MPI_Datatype>(keyval, handle, value);
    case Keyval::Kind::win:
      return delete_value<MPI_Win>(keyval, handle, value);
  }
  __builtin_unreachable();
}

void remove_if_unused(Keyval& keyval) {
  if (!keyval.freed || keyval.users != 0) return;
  for (Keyval** link = &keyvals; *link; link = &(*link)->next) {
    if (*link != &keyval) continue;
    *link = keyval.next;
    delete &keyval;
    return;
  }
}

void add_user(Keyval& keyval) {
  std::lock_guard guard(keyval_lock);
  ++keyval.users;
}

void drop_user(Keyval& keyval) {
  std::lock_guard guard(keyval_lock);
  --keyval.users;
  remove_if_unused(keyval);
}

Attribute* find(const AttributeSet& set, const Keyval& keyval) {
  for (Attribute* entry = set.first; entry; entry = entry->next)
    if (entry->keyval == &keyval) return entry;
  return nullptr;
}

void unlink(AttributeSet& set, Attribute* entry) {
  Attribute** link = &set.first;
  while (*link != entry) link = &(*link)->next;
  *link = entry->next;
  drop_user(*entry->keyval);
  delete entry;
}

Error delete_entry(AttributeSet& set, void* handle, Attribute* entry) {
  Error rc = call_delete(*entry->keyval, handle, entry->value);
  if (rc != MPI_SUCCESS)
    return fail(rc, "the delete callback of attribute key %d returned %d", entry->keyval->id, rc);
  unlink(set, entry);
  return MPI_SUCCESS;
}

// Copies from the oldest on: the list runs the other way.
Error copy_from(const Attribute* entry, void* handle, AttributeSet& to) {
  if (!entry) return MPI_SUCCESS;
  if (Error rc = copy_from(entry->next, handle, to)) return rc;
  void* value = nullptr;
  int flag = 0;
  Error rc = call_copy(*entry->keyval, handle, entry->value, &value, &flag);
  if (rc != MPI_SUCCESS)
    return fail(rc, "the copy callback of attribute key %d returned %d", entry->keyval->id, rc);
  return flag ? set_attribute(to, nullptr, *entry->keyval, value) : MPI_SUCCESS;
}

}  // namespace

Error create_keyval(Keyval::Kind kind, Keyval::Function copy, Keyval::Function remove,
                    void* extra_state, int* id) {
  std::lock_guard guard(keyval_lock);
  Keyval* keyval = new (std::nothrow) Keyval;
  if (!keyval) return fail(MPI_ERR_NO_MEM, "no memory for an attribute key");
  *keyval = {next_keyval++, kind, false, 0, copy, remove, extra_state, keyvals};
  keyvals = keyval;
  *id = keyval->id;
  return MPI_SUCCESS;
}

Keyval* find_keyval(Keyval::Kind kind, int id) {
  std::lock_guard guard(keyval_lock);
  for (Keyval* keyval = keyvals; keyval; keyval = keyval->next)
    if (keyval->id == id) return keyval->kind == kind && !keyval->freed ? keyval : nullptr;
  return nullptr;
}

void free_keyval(Keyval& keyval) {
  std::lock_guard guard(keyval_lock);
  keyval.freed = true;
  remove_if_unused(keyval);
}

Error set_attribute(AttributeSet& set, void* handle, Keyval& keyval, void* value) {
  if (Attribute* entry = find(set, keyval)) {
    Error rc = call_delete(keyval, handle, entry->value);
    if (rc != MPI_SUCCESS)
      return fail(rc, "the delete callback of attribute key %d returned %d", keyval.id, rc);
    entry->value = value;
    return MPI_SUCCESS;
  }
  Attribute* entry = new (std::nothrow) Attribute{&keyval, value, set.first};
  if (!entry) return fail(MPI_ERR_NO_MEM, "no memory for an attribute");
  set.first = entry;
  add_user(keyval);
  return MPI_SUCCESS;
}

bool get_attribute(const AttributeSet& set, const Keyval& keyval, void** value) {
  const Attribute* entry = find(set, keyval);
  if (entry) *value = entry->value;
  return entry != nullptr;
}

Error delete_attribute(AttributeSet& set, void* handle, Keyval& keyval) {
  Attribute* entry = find(set, keyval);
  if (!entry) return fail(MPI_ERR_KEYVAL, "no attribute is set under key %d", keyval.id);
  return delete_entry(set, handle, entry);
}

Error copy_attributes(const AttributeSet& from, void* handle, AttributeSet& to) {
  return copy_from(from.first, handle, to);
}

Error delete_attributes(AttributeSet& set, void* handle) {
  while (set.first)
    if (Error rc = delete_entry(set, handle, set.first)) return rc;
  return MPI_SUCCESS;
}

void forget_attributes(AttributeSet& set) {
  while (set.first) unlink(set, set.first);
}

bool predefined_attribute(int id, int** value) {
  switch (id) {
    case MPI_TAG_UB:
      *value = &tag_ub_value;
      return true;
    case MPI_IO:
      *value = &io_value;
      return true;
    case MPI_HOST:
      *value = &host_value;
      return true;
    case MPI_WTIME_IS_GLOBAL:
      *value = &wtime_is_global_value;
      return true;
    case MPI_LASTUSEDCODE:
      *value = const_cast<int*>(&last_used_code());
      return true;
    case MPI_UNIVERSE_SIZE:
      *value = universe_size_value < 0 ? nullptr : &universe_size_value;
      return true;
    case MPI_APPNUM:
      *value = appnum_value < 0 ? nullptr : &appnum_value;
      return true;
    default:
      return false;
  }
}

void set_predefined_attributes(int universe_size, int application_number, bool one_clock) {
  wtime_is_global_value = one_clock;
  universe_size_value = universe_size;
  appnum_value = application_number;
}

}  // namespace baton
