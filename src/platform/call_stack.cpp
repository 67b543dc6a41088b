#include "platform/call_stack.hpp"

#include <dlfcn.h>
#include <unwind.h>

// The linker defines these symbols: where this library begins, and where its code ends.
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start, etext;

namespace baton::platform {

namespace {

struct Walk {
  const void** frames;
  int count;
  int space;
  int skip;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* state) {
  Walk& walk = *static_cast<Walk*>(state);
  int before = 0;
  _Unwind_Ptr address = _Unwind_GetIPInfo(context, &before);
  if (walk.skip-- > 0) return _URC_NO_REASON;
  if (address == 0 || walk.count == walk.space) return _URC_END_OF_STACK;
  // A return address may be behind the function's last instruction.
  walk.frames[walk.count++] = reinterpret_cast<const void*>(address - (before ? 0 : 1));
  return _URC_NO_REASON;
}

struct Search {
  int left;
  const char* name;
};

// Only frames of this library are asked for their names, since that takes long where there are
// many.
_Unwind_Reason_Code search_step(_Unwind_Context* context, void* state) {
  Search& search = *static_cast<Search*>(state);
  int before = 0;
  const _Unwind_Ptr address = _Unwind_GetIPInfo(context, &before);
  if (address == 0 || search.left-- == 0) return _URC_END_OF_STACK;
  const auto* at = reinterpret_cast<const char*>(address - (before ? 0 : 1));
  if (at < &__ehdr_start || at >= &etext) return _URC_NO_REASON;
  Dl_info info{};
  if (dladdr(at, &info)) search.name = info.dli_sname;
  return search.name ? _URC_END_OF_STACK : _URC_NO_REASON;
}

}  // namespace

__attribute__((noinline)) int call_stack(const void** frames, int frames_max) {
  Walk walk{frames, 0, frames_max, 1};
  _Unwind_Backtrace(step, &walk);
  return walk.count;
}

CodePlace code_place(const void* address) {
  Dl_info info{};
  if (!dladdr(address, &info)) return {};
  CodePlace place;
  const auto* at = static_cast<const char*>(address);
  place.file = info.dli_fname;
  place.file_offset = static_cast<std::size_t>(at - static_cast<const char*>(info.dli_fbase));
  if (!info.dli_sname) return place;
  place.function = info.dli_sname;
  place.function_offset = static_cast<std::size_t>(at - static_cast<const char*>(info.dli_saddr));
  return place;
}

const char* exported_function_under_way(int depth_max) {
  Search search{depth_max, nullptr};
  _Unwind_Backtrace(search_step, &search);
  return search.name;
}

}  // namespace baton::platform
