// These are the bodies of the info procedures. Strings are checked here; handles and null pointers
// were before.
#pragma once

#include "world/info.hpp"

namespace baton::api {

Error info_create(MPI_Info* info);
Error info_create_env(int argc, char** argv, MPI_Info* info);
Error info_delete(Info& info, const char* key);
Error info_dup(const Info& info, MPI_Info* newinfo);
Error info_free(MPI_Info* info);
Error info_get(const Info& info, const char* key, int valuelen, char* value, int* flag);
Error info_get_nkeys(const Info& info, int* nkeys);
Error info_get_nthkey(const Info& info, int n, char* key);
Error info_get_string(const Info& info, const char* key, int* buflen, char* value, int* flag);
Error info_get_valuelen(const Info& info, const char* key, int* valuelen, int* flag);
Error info_set(Info& info, const char* key, const char* value);

}  // namespace baton::api
