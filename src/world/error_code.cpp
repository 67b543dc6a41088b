#include "world/error_code.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>

#include "base/failure_class.hpp"
#include "base/handle_table.hpp"

namespace baton {

namespace {

struct StandardClass {
  Error error_class;
  const char* name;
  const char* text;
};

// clang-format off
constexpr StandardClass standard_classes[] = {
#define BATON_CLASS(name, text) {name, #name, text}
    BATON_CLASS(MPI_SUCCESS, "no error"),
    BATON_CLASS(MPI_ERR_BUFFER, "invalid buffer pointer"),
    BATON_CLASS(MPI_ERR_COUNT, "invalid count"),
    BATON_CLASS(MPI_ERR_TYPE, "invalid datatype"),
    BATON_CLASS(MPI_ERR_TAG, "invalid tag"),
    BATON_CLASS(MPI_ERR_COMM, "invalid communicator"),
    BATON_CLASS(MPI_ERR_RANK, "invalid rank"),
    BATON_CLASS(MPI_ERR_REQUEST, "invalid request"),
    BATON_CLASS(MPI_ERR_ROOT, "invalid root"),
    BATON_CLASS(MPI_ERR_GROUP, "invalid group"),
    BATON_CLASS(MPI_ERR_OP, "invalid reduction operation"),
    BATON_CLASS(MPI_ERR_TOPOLOGY, "invalid communicator topology"),
    BATON_CLASS(MPI_ERR_DIMS, "invalid dimensions"),
    BATON_CLASS(MPI_ERR_ARG, "invalid argument"),
    BATON_CLASS(MPI_ERR_UNKNOWN, "unknown error"),
    BATON_CLASS(MPI_ERR_TRUNCATE, "message truncated: it is longer than the receive buffer"),
    BATON_CLASS(MPI_ERR_OTHER, "other error"),
    BATON_CLASS(MPI_ERR_INTERN, "internal error of the MPI library"),
    BATON_CLASS(MPI_ERR_PENDING, "request still pending"),
    BATON_CLASS(MPI_ERR_IN_STATUS, "the error is in the statuses"),
    BATON_CLASS(MPI_ERR_ACCESS, "permission denied"),
    BATON_CLASS(MPI_ERR_AMODE, "invalid access mode of a file"),
    BATON_CLASS(MPI_ERR_ASSERT, "invalid assertion"),
    BATON_CLASS(MPI_ERR_BAD_FILE, "invalid file name"),
    BATON_CLASS(MPI_ERR_BASE, "invalid base address"),
    BATON_CLASS(MPI_ERR_CONVERSION, "a user's data conversion failed"),
    BATON_CLASS(MPI_ERR_DISP, "invalid displacement"),
    BATON_CLASS(MPI_ERR_DUP_DATAREP, "data representation already registered"),
    BATON_CLASS(MPI_ERR_FILE_EXISTS, "file exists"),
    BATON_CLASS(MPI_ERR_FILE_IN_USE, "file is in use"),
    BATON_CLASS(MPI_ERR_FILE, "invalid file handle"),
    BATON_CLASS(MPI_ERR_INFO_KEY, "info key too long or empty"),
    BATON_CLASS(MPI_ERR_INFO_NOKEY, "no such info key"),
    BATON_CLASS(MPI_ERR_INFO_VALUE, "info value too long or empty"),
    BATON_CLASS(MPI_ERR_INFO, "invalid info object"),
    BATON_CLASS(MPI_ERR_IO, "input or output error"),
    BATON_CLASS(MPI_ERR_KEYVAL, "invalid attribute key"),
    BATON_CLASS(MPI_ERR_LOCKTYPE, "invalid lock type"),
    BATON_CLASS(MPI_ERR_NAME, "no such service name"),
    BATON_CLASS(MPI_ERR_NO_MEM, "out of memory"),
    BATON_CLASS(MPI_ERR_NOT_SAME, "a collective argument differs between processes"),
    BATON_CLASS(MPI_ERR_NO_SPACE, "no space left"),
    BATON_CLASS(MPI_ERR_NO_SUCH_FILE, "no such file"),
    BATON_CLASS(MPI_ERR_PORT, "invalid port name"),
    BATON_CLASS(MPI_ERR_QUOTA, "quota exceeded"),
    BATON_CLASS(MPI_ERR_READ_ONLY, "read-only file or file system"),
    BATON_CLASS(MPI_ERR_RMA_ATTACH, "memory cannot be attached"),
    BATON_CLASS(MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"),
    BATON_CLASS(MPI_ERR_RMA_RANGE, "target memory lies outside the window"),
    BATON_CLASS(MPI_ERR_RMA_SHARED, "memory cannot be shared"),
    BATON_CLASS(MPI_ERR_RMA_SYNC, "wrong synchronization of a window"),
    BATON_CLASS(MPI_ERR_SERVICE, "invalid service name"),
    BATON_CLASS(MPI_ERR_SIZE, "invalid size"),
    BATON_CLASS(MPI_ERR_SPAWN, "processes could not be spawned"),
    BATON_CLASS(MPI_ERR_UNSUPPORTED_DATAREP, "unsupported data representation"),
    BATON_CLASS(MPI_ERR_UNSUPPORTED_OPERATION, "unsupported operation"),
    BATON_CLASS(MPI_ERR_WIN, "invalid window"),
    BATON_CLASS(MPI_ERR_RMA_FLAVOR, "wrong flavor of window"),
    BATON_CLASS(MPI_ERR_PROC_ABORTED, "a process has aborted"),
    BATON_CLASS(MPI_ERR_VALUE_TOO_LARGE, "value too large for its type"),
    BATON_CLASS(MPI_ERR_SESSION, "invalid session"),
    BATON_CLASS(MPI_ERR_ERRHANDLER, "invalid error handler"),
    BATON_CLASS(MPI_ERR_ABI, "the ABI does not allow this"),
#undef BATON_CLASS
};
// clang-format on

// The codes of the tool interface, which are no classes: its procedures return them.
// clang-format off
constexpr const char* tool_texts[] = {
    "MPI_T_ERR_CANNOT_INIT: the tool interface cannot be initialized now",
    "MPI_T_ERR_NOT_ACCESSIBLE: it may not be called here: in a callback of an event",
    "MPI_T_ERR_NOT_INITIALIZED: MPI_T_init_thread comes first",
    "MPI_T_ERR_NOT_SUPPORTED: not supported",
    "MPI_T_ERR_MEMORY: out of memory",
    "MPI_T_ERR_INVALID: an argument is null, or has a value that is out of range",
    "MPI_T_ERR_INVALID_INDEX: there is nothing of this number",
    "MPI_T_ERR_INVALID_ITEM: there is no item of this number",
    "MPI_T_ERR_INVALID_SESSION: no live session",
    "MPI_T_ERR_INVALID_HANDLE: no live handle, or of another session, or its object is gone",
    "MPI_T_ERR_INVALID_NAME: there is nothing of this name",
    "MPI_T_ERR_OUT_OF_HANDLES: no more handles",
    "MPI_T_ERR_OUT_OF_SESSIONS: no more sessions",
    "MPI_T_ERR_CVAR_SET_NOT_NOW: the variable cannot be set now",
    "MPI_T_ERR_CVAR_SET_NEVER: the variable cannot be set any more",
    "MPI_T_ERR_PVAR_NO_WRITE: the variable cannot be written or reset",
    "MPI_T_ERR_PVAR_NO_STARTSTOP: the variable cannot be started or stopped",
    "MPI_T_ERR_PVAR_NO_ATOMIC: the variable cannot be read and reset at once"};
// clang-format on
static_assert(MPI_T_ERR_PVAR_NO_ATOMIC - MPI_T_ERR_CANNOT_INIT + 1 == std::size(tool_texts));

constexpr int standard_class_count = MPI_ERR_ABI + 1;
static_assert(sizeof standard_classes / sizeof standard_classes[0] == standard_class_count);

// The classes of failed processes (base/failure_class.hpp).
constexpr StandardClass failure_classes[] = {
    {error_process_failed, "MPIX_ERR_PROC_FAILED", "a process has failed"},
    {error_failure_pending, "MPIX_ERR_PROC_FAILED_PENDING",
     "a process has failed that may be the source; the receive goes on when that is acknowledged"},
    {error_revoked, "MPIX_ERR_REVOKED", "the communicator is revoked"},
};

// This is a code that the program has added. A class is a code that is its own class.
struct AddedCode {
  int code;
  Error error_class;
  char* text;
  AddedCode* next;
};

// Returns a class that the library itself has; null for all other codes.
const StandardClass* find_class(int code) {
  if (code >= 0 && code < standard_class_count) return &standard_classes[code];
  for (const StandardClass& one : failure_classes)
    if (one.error_class == code) return &one;
  return nullptr;
}

// The codes that the program has added. Whoever calls the functions holds the lock.
struct AddedCodes {
  AddedCode* find(int code) const {
    for (AddedCode* entry = first; entry; entry = entry->next)
      if (entry->code == code) return entry;
    return nullptr;
  }

  Error add(Error error_class, int* code) {
    AddedCode* entry = new (std::nothrow) AddedCode;
    if (!entry) return fail(MPI_ERR_NO_MEM, "no memory for a new error code");
    *code = ++greatest;
    *entry = {greatest, error_class < 0 ? greatest : error_class, nullptr, first};
    first = entry;
    return MPI_SUCCESS;
  }

  Error remove(int code, bool is_class) {
    for (AddedCode** link = &first; *link; link = &(*link)->next) {
      AddedCode* entry = *link;
      if (entry->code != code || (entry->error_class == code) != is_class) continue;
      if (entry->text)
        return fail(MPI_ERR_ARG, "error code %d still has a string; remove it first", code);
      *link = entry->next;
      delete entry;
      // This recomputes the greatest code still in use; numbers of removed codes may come again.
      greatest = MPI_ERR_LASTCODE;
      for (AddedCode* rest = first; rest; rest = rest->next)
        greatest = std::max(greatest, rest->code);
      return MPI_SUCCESS;
    }
    return fail(MPI_ERR_ARG, "%d is no error %s that this program added", code,
                is_class ? "class" : "code");
  }

  AddedCode* first = nullptr;
  int greatest = MPI_ERR_LASTCODE;
  std::mutex lock;  // always taken: these calls are rare
};
constinit AddedCodes added;

}  // namespace

Error error_class_of(int code) {
  if (find_class(code)) return code;
  std::lock_guard guard(added.lock);
  const AddedCode* entry = added.find(code);
  return entry ? entry->error_class : MPI_ERR_UNKNOWN;
}

bool error_code_known(int code) {
  if (code >= 0 && code <= MPI_ERR_LASTCODE) return true;
  std::lock_guard guard(added.lock);
  return added.find(code) != nullptr;
}

void copy_error_text(int code, char* to, std::size_t space) {
  if (code >= MPI_T_ERR_CANNOT_INIT && code <= MPI_T_ERR_PVAR_NO_ATOMIC) {
    std::snprintf(to, space, "%s", tool_texts[code - MPI_T_ERR_CANNOT_INIT]);
    return;
  }
  if (code <= MPI_ERR_LASTCODE) {
    const StandardClass* known = find_class(code);
    std::snprintf(to, space, "%s", known ? known->text : standard_classes[MPI_ERR_UNKNOWN].text);
    return;
  }
  std::lock_guard guard(added.lock);
  const AddedCode* entry = added.find(code);
  std::snprintf(to, space, "%s", entry && entry->text ? entry->text : "");
}

const char* error_class_name(Error error_class) {
  const StandardClass* known = find_class(error_class);
  return known ? known->name : "a class of the program";
}

const int& last_used_code() {
  return added.greatest;
}

Error add_error_class(int* error_class) {
  std::lock_guard guard(added.lock);
  return added.add(-1, error_class);
}

Error add_error_code(Error error_class, int* code) {
  std::lock_guard guard(added.lock);
  const AddedCode* entry = added.find(error_class);
  if (!find_class(error_class) && !(entry && entry->error_class == error_class))
    return fail(MPI_ERR_ARG, "%d is no error class", error_class);
  return added.add(error_class, code);
}

Error add_error_text(int code, const char* text) {
  std::lock_guard guard(added.lock);
  AddedCode* entry = added.find(code);
  if (!entry)
    return fail(MPI_ERR_ARG, "%d is no error code or class that this program added", code);
  if (std::strlen(text) >= MPI_MAX_ERROR_STRING)
    return fail(MPI_ERR_ARG, "the string is longer than MPI_MAX_ERROR_STRING - 1 (%d) characters",
                MPI_MAX_ERROR_STRING - 1);
  char* copy = *text ? ::strdup(text) : nullptr;
  if (*text && !copy) return fail(MPI_ERR_NO_MEM, "no memory for an error string");
  std::free(entry->text);
  entry->text = copy;
  return MPI_SUCCESS;
}

Error remove_error_class(Error error_class) {
  std::lock_guard guard(added.lock);
  for (const AddedCode* entry = added.first; entry; entry = entry->next)
    if (entry->error_class == error_class && entry->code != error_class)
      return fail(MPI_ERR_ARG, "error class %d still has the code %d; remove it first", error_class,
                  entry->code);
  return added.remove(error_class, true);
}

Error remove_error_code(int code) {
  std::lock_guard guard(added.lock);
  return added.remove(code, false);
}

Error remove_error_text(int code) {
  std::lock_guard guard(added.lock);
  AddedCode* entry = added.find(code);
  if (!entry || !entry->text)
    return fail(MPI_ERR_ARG, "error code %d has no string that this program added", code);
  std::free(entry->text);
  entry->text = nullptr;
  return MPI_SUCCESS;
}

}  // namespace baton
