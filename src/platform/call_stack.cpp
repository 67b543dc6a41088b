#include "platform/call_stack.hpp"

#include <dlfcn.h>
#include <unwind.h>

namespace baton::platform {

namespace {

struct Walk {
  const void** frames;
  int count;
  int room;
  int skip;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* state) {
  Walk& walk = *static_cast<Walk*>(state);
  int before = 0;
  _Unwind_Ptr address = _Unwind_GetIPInfo(context, &before);
  if (walk.skip-- > 0) return _URC_NO_REASON;
  if (address == 0 || walk.count == walk.room) return _URC_END_OF_STACK;
  // A return address may be behind the function's last instruction.
  walk.frames[walk.count++] = reinterpret_cast<const void*>(address - (before ? 0 : 1));
  return _URC_NO_REASON;
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

const char* exported_function_under_way() {
  constexpr int depth_max = 64;
  const void* frames[depth_max];
  const int count = call_stack(frames, depth_max);
  Dl_info ours{};
  if (!dladdr(reinterpret_cast<const void*>(&call_stack), &ours)) return nullptr;
  for (int i = 0; i < count; ++i) {
    Dl_info info{};
    if (dladdr(frames[i], &info) && info.dli_fbase == ours.dli_fbase && info.dli_sname)
      return info.dli_sname;
  }
  return nullptr;
}

}  // namespace baton::platform
