// A stand-in for NVIDIA's management library: whoever asks has 5 MiB on each of two devices.
// STANDIN_OTHER_PIDS: processes have other numbers there, as in a container.
#include <unistd.h>

#include <cstdlib>

#define STANDIN_CALL extern "C" __attribute__((visibility("default"))) int

struct ProcessInfo {
  unsigned pid;
  unsigned long long bytes;
  unsigned instance, compute_instance;
};

STANDIN_CALL nvmlInit_v2() {
  return 0;
}
STANDIN_CALL nvmlShutdown() {
  return 0;
}
STANDIN_CALL nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 2;
  return 0;
}
STANDIN_CALL nvmlDeviceGetHandleByIndex_v2(unsigned number, void** device) {
  static char devices[2];
  *device = &devices[number];
  return 0;
}
STANDIN_CALL nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* count, ProcessInfo* infos) {
  const unsigned pid = static_cast<unsigned>(::getpid());
  if (*count < 2) return 7;  // not enough space
  infos[0] = {pid + 1, 1 << 30, 0, 0};
  infos[1] = {std::getenv("STANDIN_OTHER_PIDS") ? pid + 2 : pid, 5 << 20, 0, 0};
  *count = 2;
  return 0;
}
