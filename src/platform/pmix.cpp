#include "platform/pmix.hpp"

#include <dlfcn.h>

namespace baton::platform::pmix {

namespace {

Functions functions;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, name));
  return function != nullptr;
}

bool find_all(void* library) {
  return find(library, "PMIx_Init", functions.init) &&
         find(library, "PMIx_Finalize", functions.finalize) &&
         find(library, "PMIx_Put", functions.put) &&
         find(library, "PMIx_Commit", functions.commit) &&
         find(library, "PMIx_Fence", functions.fence) && find(library, "PMIx_Get", functions.get) &&
         find(library, "PMIx_Abort", functions.abort) &&
         find(library, "PMIx_Error_string", functions.error_string) &&
         find(library, "PMIx_Register_event_handler", functions.register_event_handler);
}

}  // namespace

const Functions* open(const char** problem) {
  // A program that uses PMIx itself has already loaded the library with which it was linked.
  if (find_all(RTLD_DEFAULT)) return &functions;
  // The symbols stay local, since the program may have another libevent or hwloc than PMIx. The
  // library is never closed, since its threads run its code.
  void* library = ::dlopen("libpmix.so.2", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library && find_all(library)) return &functions;
  *problem = ::dlerror();
  if (!*problem) *problem = "it lacks a function";
  return nullptr;
}

}  // namespace baton::platform::pmix
