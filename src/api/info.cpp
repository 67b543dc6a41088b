#include "api/info.hpp"

#include <cstring>

#include "world/library_state.hpp"
#include "world/process.hpp"
#include "world/session.hpp"

namespace baton::api {

namespace {

// Checks a key. Lengths count the terminating zero in C, so one less is left for the text.
Error check_key(const char* key) {
  size_t length = ::strnlen(key, MPI_MAX_INFO_KEY);
  if (length == 0) return fail(MPI_ERR_INFO_KEY, "argument 2 (key) is empty");
  if (length == MPI_MAX_INFO_KEY)
    return fail(MPI_ERR_INFO_KEY,
                "argument 2 (key) is longer than MPI_MAX_INFO_KEY - 1 (%d) characters",
                MPI_MAX_INFO_KEY - 1);
  return MPI_SUCCESS;
}

Error check_writable(const Info& info) {
  return info.read_only ? fail(MPI_ERR_INFO,
                               "argument 1 (info): MPI_INFO_ENV may only be read; "
                               "MPI_Info_dup gives a copy that may be written")
                        : MPI_SUCCESS;
}

}  // namespace

Error info_create(MPI_Info* info) {
  Info* made = nullptr;
  if (Error rc = create_info(&made)) return rc;
  *info = made->handle;
  return MPI_SUCCESS;
}

// Ignores argc and argv, which are the standard's hint for libraries that cannot know their own
// command line.
Error info_create_env(int, char**, MPI_Info* info) {
  Info* made = nullptr;
  if (Error rc = create_info(&made)) return rc;
  const Info* known = infos.find(MPI_INFO_ENV);
  // Before MPI_Init it gives the values that MPI_Init would give.
  Error rc = known ? made->copy_from(*known)
                   : describe_environment(*made, world::process_count(),
                                          world::thread_level_name(MPI_THREAD_SINGLE));
  if (rc != MPI_SUCCESS) {
    baton::free_info(*made);
    return rc;
  }
  *info = made->handle;
  return MPI_SUCCESS;
}

Error info_delete(Info& info, const char* key) {
  if (Error rc = check_writable(info)) return rc;
  if (Error rc = check_key(key)) return rc;
  if (!info.remove(key))
    return fail(MPI_ERR_INFO_NOKEY, "argument 2 (key): the info has no key \"%s\"", key);
  return MPI_SUCCESS;
}

Error info_dup(const Info& info, MPI_Info* newinfo) {
  Info* made = nullptr;
  if (Error rc = create_info(&made)) return rc;
  if (Error rc = made->copy_from(info)) {
    baton::free_info(*made);
    return rc;
  }
  *newinfo = made->handle;
  return MPI_SUCCESS;
}

Error info_free(MPI_Info* info) {
  Info* object = infos.find(*info);
  if (!object)
    return fail(MPI_ERR_INFO, "argument 1 (info) is %s",
                *info == MPI_INFO_NULL ? "MPI_INFO_NULL" : "no live info object");
  if (Error rc = check_writable(*object)) return rc;
  baton::free_info(*object);
  *info = MPI_INFO_NULL;
  return MPI_SUCCESS;
}

Error info_get(const Info& info, const char* key, int valuelen, char* value, int* flag) {
  if (Error rc = check_key(key)) return rc;
  if (valuelen < 0)
    return fail(MPI_ERR_ARG, "argument 3 (valuelen) is %d; it must be at least 0", valuelen);
  // The length leaves out the terminating zero.
  *flag = info.get(key, value, static_cast<size_t>(valuelen) + 1);
  return MPI_SUCCESS;
}

Error info_get_nkeys(const Info& info, int* nkeys) {
  *nkeys = info.key_count();
  return MPI_SUCCESS;
}

Error info_get_nthkey(const Info& info, int n, char* key) {
  if (info.key_at(n, key, MPI_MAX_INFO_KEY)) return MPI_SUCCESS;
  return fail(MPI_ERR_ARG, "argument 2 (n) is %d; the info has %d keys, counted from 0", n,
              info.key_count());
}

Error info_get_string(const Info& info, const char* key, int* buflen, char* value, int* flag) {
  if (Error rc = check_key(key)) return rc;
  if (*buflen < 0)
    return fail(MPI_ERR_ARG, "argument 3 (buflen) is %d; it must be at least 0", *buflen);
  if (*buflen > 0 && !value)
    return fail(MPI_ERR_ARG, "argument 4 (value) is a null pointer, but buflen is not 0");
  size_t length = 0;
  *flag = info.get(key, value, static_cast<size_t>(*buflen), &length);
  if (*flag) *buflen = static_cast<int>(length) + 1;
  return MPI_SUCCESS;
}

Error info_get_valuelen(const Info& info, const char* key, int* valuelen, int* flag) {
  if (Error rc = check_key(key)) return rc;
  size_t length = 0;
  *flag = info.get(key, nullptr, 0, &length);
  if (*flag) *valuelen = static_cast<int>(length);
  return MPI_SUCCESS;
}

Error info_set(Info& info, const char* key, const char* value) {
  if (Error rc = check_writable(info)) return rc;
  if (Error rc = check_key(key)) return rc;
  if (::strnlen(value, MPI_MAX_INFO_VAL) == MPI_MAX_INFO_VAL)
    return fail(
        MPI_ERR_INFO_VALUE,
        "argument 3 (value): that of \"%s\" is longer than MPI_MAX_INFO_VAL - 1 (%d) characters",
        key, MPI_MAX_INFO_VAL - 1);
  return info.set(key, value);
}

}  // namespace baton::api
