// This is what `baton doctor` says of devices: which there are, whether this process may use them, whether
// the driver's library is there and new enough, and whether one process may open another's memory.
// look_at_devices asks the driver in child processes, so that this one has no context and survives
// whatever the driver does; judge_devices is pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/doctor/finding.hpp"
#include "machine/machine.hpp"

namespace baton::cli::doctor {

// A device file that programs open; its errno, 0: it can be opened.
struct DeviceFile {
  std::string path;
  int error = 0;
};

// A device as the driver counts it.
struct SeenDevice {
  std::string name;
  std::string bus;
  std::uint64_t bytes = 0;
};

// Results of the driver are its own numbers; 0: it works.
struct Devices {
  std::vector<machine::Device> present;  // to which the kernel's driver is bound
  std::vector<std::string> others;       // device files of other makers
  std::string kernel_version;            // of the kernel's part of the driver; empty: unknown
  std::vector<DeviceFile> files;
  std::string library_error;  // why the driver's library cannot be opened; empty: it can
  int version = 0;            // of CUDA, as the library says: 12040 is 12.4; 0: not asked
  bool is_complete = true;    // the library has what Baton calls
  int start_result = 0;       // of cuInit
  bool is_gone = false;       // the child that asked ended early, or did not end
  std::vector<SeenDevice> seen;
  bool is_limited = false;  // CUDA_VISIBLE_DEVICES is set
  int ipc_result = 0;       // of opening a block of another process; -1: not tried
};

Devices look_at_devices();
std::vector<Finding> judge_devices(const Devices& facts);

}  // namespace baton::cli::doctor
