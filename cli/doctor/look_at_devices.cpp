// The driver's functions are found by the names that its library exports, with the types that its
// documentation ("CUDA Driver API") gives.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/environment.hpp"
#include "cli/doctor/devices.hpp"
#include "machine/devices.hpp"
#include "platform/file_text.hpp"

namespace baton::cli::doctor {

namespace {

constexpr const char* library_name = "libcuda.so.1";
constexpr unsigned patience_s = 30;  // guess: to start the driver takes half a second
constexpr int not_there = -1;

struct Driver {
  void* library = ::dlopen(library_name, RTLD_NOW | RTLD_LOCAL);

  template <class... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto function = reinterpret_cast<int (*)(Arguments...)>(::dlsym(library, name));
    return function ? function(arguments...) : not_there;
  }
};

// The first child tells this through a pipe.
struct Answer {
  char library_error[256];
  int version, start_result, count, handle_result;
  bool is_complete;
  struct {
    char name[128], bus[32];
    std::uint64_t bytes;
  } seen[32];
  struct Handle {
    char bytes[64];
  } handle;
};
using Handle = decltype(Answer::handle);

void describe(const Driver& driver, int number, Answer& answer) {
  auto& seen = answer.seen[number];
  int device = 0;
  std::size_t bytes = 0;
  driver.call("cuDeviceGet", &device, number);
  driver.call("cuDeviceGetName", &seen.name[0], static_cast<int>(sizeof seen.name), device);
  driver.call("cuDeviceGetPCIBusId", &seen.bus[0], static_cast<int>(sizeof seen.bus), device);
  driver.call("cuDeviceTotalMem_v2", &bytes, device);
  seen.bytes = bytes;
}

// Makes a context on the first device that is seen.
int make_context(const Driver& driver) {
  int device = 0;
  void* context = nullptr;
  if (const int result = driver.call("cuDeviceGet", &device, 0)) return result;
  return driver.call("cuCtxCreate_v2", &context, 0u, device);
}

int make_handle(const Driver& driver, Handle& handle) {
  constexpr std::size_t bytes = 1 << 20;
  unsigned long long memory = 0;
  if (const int result = make_context(driver)) return result;
  if (const int result = driver.call("cuMemAlloc_v2", &memory, bytes)) return result;
  return driver.call("cuIpcGetMemHandle", &handle, memory);
}

int open_handle(const Handle& handle) {
  const Driver driver;
  unsigned long long memory = 0;
  if (const int result = driver.call("cuInit", 0u)) return result;
  if (const int result = make_context(driver)) return result;
  return driver.call("cuIpcOpenMemHandle_v2", &memory, handle, 1u);
}

// The first child: asks, tells, and keeps its block until it is told to end.
void ask_driver(int tells, int waits) {
  ::alarm(patience_s);
  Answer answer{};
  const Driver driver;
  answer.handle_result = not_there;
  if (!driver.library) {
    const char* why = ::dlerror();
    std::snprintf(answer.library_error, sizeof answer.library_error, "%s", why ? why : "unknown");
  } else {
    answer.is_complete = ::dlsym(driver.library, "cuGetProcAddress_v2") != nullptr;
    driver.call("cuDriverGetVersion", &answer.version);
    answer.start_result = driver.call("cuInit", 0u);
    if (answer.start_result == 0) driver.call("cuDeviceGetCount", &answer.count);
    answer.count = std::clamp(answer.count, 0, static_cast<int>(std::size(answer.seen)));
    for (int i = 0; i < answer.count; ++i) describe(driver, i, answer);
    if (answer.count > 0) answer.handle_result = make_handle(driver, answer.handle);
  }
  char end;
  if (::write(tells, &answer, sizeof answer) == sizeof answer) (void)!::read(waits, &end, 1);
  ::_exit(0);
}

void await(pid_t child) {
  int status = 0;
  if (child > 0) (void)::waitpid(child, &status, 0);
}

// The second child opens what the first has.
int try_to_open(const Handle& handle) {
  int result = not_there, results[2];
  if (::pipe2(results, O_CLOEXEC) != 0) return result;
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(patience_s);
    result = open_handle(handle);
    ::_exit(::write(results[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  ::close(results[1]);
  if (::read(results[0], &result, sizeof result) != sizeof result) result = not_there;
  ::close(results[0]);
  await(child);
  return result;
}

void take(const Answer& answer, Devices& facts) {
  facts.library_error = answer.library_error;
  facts.version = answer.version;
  facts.is_complete = answer.is_complete;
  facts.start_result = answer.start_result;
  for (int i = 0; i < answer.count; ++i) {
    const auto& seen = answer.seen[i];
    facts.seen.push_back({seen.name, seen.bus, seen.bytes});
  }
  facts.ipc_result = answer.handle_result;
  if (answer.handle_result == 0) facts.ipc_result = try_to_open(answer.handle);
}

void ask(Devices& facts) {
  int answers[2], ends[2];
  if (::pipe2(answers, O_CLOEXEC) != 0 || ::pipe2(ends, O_CLOEXEC) != 0) return;
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(answers[0]);
    ::close(ends[1]);
    ask_driver(answers[1], ends[0]);
  }
  ::close(answers[1]);
  ::close(ends[0]);
  Answer answer{};
  if (::read(answers[0], &answer, sizeof answer) == sizeof answer)
    take(answer, facts);
  else
    facts.is_gone = true;
  ::close(answers[0]);
  ::close(ends[1]);  // the first child ends
  await(child);
}

DeviceFile examine(const std::string& path) {
  return {path, ::access(path.c_str(), R_OK | W_OK) == 0 ? 0 : errno};
}

}  // namespace

Devices look_at_devices() {
  Devices facts;
  const char* fake = environment_variable("BATON_DEVICES_ROOT");
  const std::string root = fake ? fake : "";
  facts.present = machine::read_devices(root);
  facts.kernel_version = platform::file_text(root + "/sys/module/nvidia/version").value_or("");
  facts.kernel_version.resize(
      std::min(facts.kernel_version.find('\n'), facts.kernel_version.size()));
  for (const char* path : {"/dev/kfd", "/dev/dri/renderD128"})
    if (::access((root + path).c_str(), F_OK) == 0) facts.others.emplace_back(path);
  if (!facts.present.empty()) {
    facts.files = {examine(root + "/dev/nvidiactl"), examine(root + "/dev/nvidia-uvm")};
    for (const machine::Device& device : facts.present)
      if (device.minor >= 0)
        facts.files.push_back(examine(root + "/dev/nvidia" + std::to_string(device.minor)));
  }
  facts.is_limited = environment_variable("CUDA_VISIBLE_DEVICES") != nullptr;
  facts.ipc_result = not_there;
  ask(facts);
  return facts;
}

}  // namespace baton::cli::doctor
