// Initialization, contexts, and which functions there are.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "driver.hpp"

namespace standin {

State& state = *new State;  // streams are threads that may outlive any end of the program

namespace {

thread_local std::vector<Context*> stack;  // the last one is current
constexpr int devices = 2;
Context* primaries[devices];

std::vector<Context*> ended;  // whose addresses the next ones get

Context* make_context(int device) {
  auto* context = ended.empty() ? new Context : ended.back();
  if (!ended.empty()) ended.pop_back();
  *context = {++state.last_context_id, device};
  state.contexts.insert(context);
  return context;
}

// Whatever is in a context ends with it.
void end_context(Context* context) {
  std::vector<std::uintptr_t> blocks;
  for (const auto& [start, block] : state.blocks)
    if (block.context == context) blocks.push_back(start);
  for (std::uintptr_t start : blocks) drop_block(start);
  std::erase_if(state.streams, [&](const Stream* stream) { return stream->context == context; });
  std::erase_if(state.events, [&](const Event* event) { return event->context == context; });
  end_modules_of(context);
  state.contexts.erase(context);
  ended.push_back(context);
}

}  // namespace

long fault(const char* name) {
  const char* text = std::getenv(name);
  return text ? std::atol(text) : 0;
}

Result ready() {
  if (state.process != ::getpid()) return not_initialized;
  return state.is_lost ? launch_failed : success;
}

Context* current_context() {
  if (stack.empty() || !state.contexts.count(stack.back())) return nullptr;
  return stack.back();
}

}  // namespace standin

using namespace standin;

STANDIN_CALL cuInit(unsigned) {
  const std::lock_guard guard(state.lock);
  if (const long refused = fault("STANDIN_NO_START")) return static_cast<Result>(refused);
  if (state.process == 0) state.process = ::getpid();
  return ready();
}

STANDIN_CALL cuDeviceGet(int* device, int number) {
  STANDIN_READY;
  if (number < 0 || number >= devices) return 101;  // no such device
  *device = number;
  return success;
}

STANDIN_CALL cuCtxCreate_v2(void** context, unsigned, int device) {
  STANDIN_READY;
  stack.push_back(make_context(device));
  *context = stack.back();
  return success;
}

STANDIN_CALL cuCtxDestroy_v2(void* handle) {
  STANDIN_READY;
  auto* context = static_cast<Context*>(handle);
  if (!state.contexts.count(context)) return invalid_context;
  if (!stack.empty() && stack.back() == context) stack.pop_back();
  end_context(context);
  return success;
}

STANDIN_CALL cuDevicePrimaryCtxRetain(void** context, int device) {
  STANDIN_READY;
  Context*& primary = primaries[device];
  if (!primary) {
    primary = make_context(device);
    primary->is_primary = true;
  }
  ++primary->uses;
  *context = primary;
  return success;
}

STANDIN_CALL cuDevicePrimaryCtxRelease_v2(int device) {
  STANDIN_READY;
  Context*& primary = primaries[device];
  if (!primary) return invalid_context;
  if (--primary->uses > 0) return success;
  end_context(primary);
  primary = nullptr;
  return success;
}

STANDIN_CALL cuDevicePrimaryCtxGetState(int device, unsigned* flags, int* is_active) {
  STANDIN_READY;
  *flags = 0;
  *is_active = primaries[device] != nullptr;
  return success;
}

STANDIN_CALL cuCtxSetCurrent(void* context) {
  STANDIN_READY;
  if (!stack.empty()) stack.pop_back();
  if (context) stack.push_back(static_cast<Context*>(context));
  return success;
}

STANDIN_CALL cuCtxGetCurrent(void** context) {
  STANDIN_READY;
  *context = stack.empty() ? nullptr : stack.back();
  return success;
}

STANDIN_CALL cuCtxPushCurrent_v2(void* context) {
  STANDIN_READY;
  if (!state.contexts.count(static_cast<Context*>(context))) return invalid_context;
  stack.push_back(static_cast<Context*>(context));
  return success;
}

STANDIN_CALL cuCtxPopCurrent_v2(void** context) {
  STANDIN_READY;
  if (stack.empty()) return invalid_context;
  *context = stack.back();
  stack.pop_back();
  return success;
}

STANDIN_CALL cuCtxGetDevice(int* device) {
  STANDIN_READY;
  if (!current_context()) return invalid_context;
  *device = current_context()->device;
  return success;
}

STANDIN_CALL cuCtxGetId(void* handle, std::uint64_t* id) {
  STANDIN_READY;
  auto* context = handle ? static_cast<Context*>(handle) : current_context();
  if (!state.contexts.count(context)) return invalid_context;
  *id = context->id;
  return success;
}

STANDIN_CALL cuGetErrorString(int result, const char** text) {
  *text = result == out_of_memory     ? "out of memory"
          : result == not_initialized ? "initialization error"
          : result == launch_failed   ? "unspecified launch failure"
          : result == invalid_context ? "invalid device context"
          : result == already_mapped  ? "resource already mapped"
                                      : "an error";
  return success;
}

extern "C" __attribute__((visibility("default"))) StandinCounts standin_counts(void) {
  const std::lock_guard guard(state.lock);
  const auto size = [](const auto& set) { return static_cast<long>(set.size()); };
  return {size(state.blocks),
          size(state.contexts),
          size(state.streams),
          size(state.events),
          size(state.imports) + mapping_count() + pool_import_count(),
          state.copies,
          state.questions,
          state.launches,
          module_count(),
          std::count_if(state.blocks.begin(), state.blocks.end(),
                        [](const auto& block) { return block.second.kind == standin_registered; }),
          state.registrations,
          state.flushes};
}

extern "C" __attribute__((visibility("default"))) void standin_lose(void) {
  state.is_lost = true;
}
