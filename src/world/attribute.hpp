// Attributes: values that programs cache on communicators, datatypes and windows under keys, with
// callbacks when the object is copied or freed. Owners embed an AttributeSet; layer 10 and the
// dup/free paths of layers 7 and 9 call the functions here.
// Invariants: a key lives until it is freed and no attribute uses it any more. No lock is held
// while a callback runs, which may call MPI; threads that want to change the attribute it is about
// wait.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton {

// The greatest tag (attribute MPI_TAG_UB), the same for every communicator.
inline constexpr int tag_upper_bound = 0x7fffffff;

// A key. The callbacks are kept untyped; `kind` says whether they take an MPI_Comm, an MPI_Datatype
// or an MPI_Win. Null is MPI_X_NULL_COPY_FN / MPI_X_NULL_DELETE_FN, 1 is MPI_X_DUP_FN.
struct Keyval {
  enum class Kind : unsigned char { comm, type, win };
  using Function = void (*)();

  int id;
  Kind kind;
  // This and what follows but the callbacks: behind the lock of attribute.cpp.
  bool freed;
  // Attributes that use it.
  int users;
  Function copy;
  Function remove;
  void* extra_state;
  Keyval* next;
};

struct Attribute;

struct AttributeSet {
  // The latest set comes first; objects are freed in that order, as the standard wants.
  Attribute* first = nullptr;
};

// A new key. MPI_ERR_NO_MEM.
[[nodiscard]] Error create_keyval(Keyval::Kind kind, Keyval::Function copy, Keyval::Function remove,
                                  void* extra_state, int* id);

// The key with this number and kind, or null. A freed one is there as long as attributes use it:
// programs keep its number to delete them.
Keyval* find_keyval(Keyval::Kind kind, int id);

// The program's end of a key; attributes that use it stay. False: it was freed before.
[[nodiscard]] bool free_keyval(Keyval& keyval);

// `handle` is the MPI handle of the object that owns `set`, as the callbacks want it.
// Sets a value; the one before is deleted first (its callback may refuse with its code).
[[nodiscard]] Error set_attribute(AttributeSet& set, void* handle, Keyval& keyval, void* value);

// The value under a key; false when there is none. Never waits: until a callback has agreed to its
// end, the value is there.
bool get_attribute(const AttributeSet& set, const Keyval& keyval, void** value);

// Deletes one attribute, if there is one, with its callback, whose failure keeps it.
[[nodiscard]] Error delete_attribute(AttributeSet& set, void* handle, Keyval& keyval);

// What dup does: asks the copy callback of each attribute of `from`, in the order they were set.
// A failing callback stops it; `to` then holds what was copied, and the caller deletes it.
[[nodiscard]] Error copy_attributes(const AttributeSet& from, void* handle, AttributeSet& to);

// What free does: deletes all, latest first. A failing callback stops it.
[[nodiscard]] Error delete_attributes(AttributeSet& set, void* handle);

// What the end of MPI does to the attributes of objects that nobody frees: no callback is called.
void forget_attributes(AttributeSet& set);

// The predefined attributes of communicators: whether `id` is one, and its value (a pointer to an
// int, as MPI_Comm_get_attr gives it out; null: not set).
bool predefined_attribute(int id, int** value);

// Process start sets those that are not constant. Negative: the attribute is not set. `one_clock`:
// all ranks are on one node, so that MPI_Wtime means the same to all.
void set_predefined_attributes(int universe_size, int application_number, bool one_clock);

}  // namespace baton
