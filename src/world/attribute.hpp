// Attributes are values that programs cache on communicators, datatypes and windows under keys,
// with callbacks that run when the object is copied or freed. Owners embed an AttributeSet; layer
// 10 and the dup/free paths of layers 7 and 9 call the functions here.
// Invariants: a key lives until it is freed and no attribute uses it any more. No lock is held
// while a callback runs, which may call MPI; threads that want to change the same attribute wait.
#pragma once

#include <mpi.h>

#include "base/error.hpp"
#include "world/error_handler.hpp"

namespace baton {

// This is the greatest tag (attribute MPI_TAG_UB); it is the same for every communicator.
inline constexpr int tag_upper_bound = 0x7fffffff;

// The key of the attribute that says whether the job goes on when ranks die; include/mpi-ext.h
// names it MPIX_FT. It lies between the ABI's keys and those of programs.
inline constexpr int fault_tolerance_key = 1001;

// This is a key of attributes. The callbacks are kept untyped; `kind` says whether they take an
// MPI_Comm, an MPI_Datatype or an MPI_Win. Null is MPI_X_NULL_COPY_FN / MPI_X_NULL_DELETE_FN, 1 is
// MPI_X_DUP_FN.
struct Keyval {
  enum class Kind : unsigned char { comm, type, win };
  using Function = void (*)();

  int id;
  Kind kind;
  // This and the following members, except the callbacks, are protected by the lock of
  // attribute.cpp.
  bool freed;
  // This is the number of attributes that use the key.
  int users;
  Function copy;
  Function remove;
  void* extra_state;
  Keyval* next;
};

struct Attribute;

struct AttributeSet {
  // The list begins with the attribute set last; free deletes attributes in that order, as the
  // standard wants.
  Attribute* first = nullptr;
};

// Creates a key. Error: MPI_ERR_NO_MEM.
[[nodiscard]] Error create_keyval(Keyval::Kind kind, Keyval::Function copy, Keyval::Function remove,
                                  void* extra_state, int* id);

// Returns the key with this number and kind, or null. A freed key is found as long as attributes
// use it: programs keep its number to delete them.
Keyval* find_keyval(Keyval::Kind kind, int id);

// Frees a key for the program; attributes that use it stay. Returns false if it was freed before.
[[nodiscard]] bool free_keyval(Keyval& keyval);

// Sets a value; a value from before is deleted first (its callback may refuse with its code).
// `handle` is the MPI handle of the object that owns `set`, for the callbacks.
[[nodiscard]] Error set_attribute(AttributeSet& set, void* handle, Keyval& keyval, void* value);

// Gets the value under a key; returns false when there is none. It never waits: the value is there
// until a callback has agreed to its deletion.
bool get_attribute(const AttributeSet& set, const Keyval& keyval, void** value);

// Deletes one attribute, if there is one, and calls its callback, whose failure keeps the
// attribute.
[[nodiscard]] Error delete_attribute(AttributeSet& set, void* handle, Keyval& keyval);

// Copies attributes for dup: calls the copy callback of each attribute of `from`, in the order in
// which they were set. A failing callback stops it; `to` then holds what was copied, and the caller
// deletes it.
[[nodiscard]] Error copy_attributes(const AttributeSet& from, void* handle, AttributeSet& to);

// Deletes all attributes for free, the latest first. A failing callback stops it.
[[nodiscard]] Error delete_attributes(AttributeSet& set, void* handle);

// Drops the attributes of objects that nobody frees, at the end of MPI: no callback is called.
void forget_attributes(AttributeSet& set);

// Returns whether `id` is a predefined attribute of communicators, and its value (a pointer to an
// int, as MPI_Comm_get_attr returns it; null: not set).
bool predefined_attribute(int id, int** value);

// Sets those predefined attributes that are not constant, at process start. Negative: the attribute
// is not set. `one_clock`: all ranks are on one node, so that MPI_Wtime means the same to all.
void set_predefined_attributes(int universe_size, int application_number, bool one_clock);

}  // namespace baton
