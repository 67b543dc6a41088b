// The devices of a machine. Reading looks into /sys and /proc alone,
// so that no driver library is loaded and no context made; the rest is pure. Which devices a
// process sees, and how it counts them, CUDA_VISIBLE_DEVICES says (NVIDIA, "CUDA Programming
// Guide", environment variables). AMD's and Intel's are not looked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/machine.hpp"

namespace baton::machine {

// Returns NVIDIA's devices that this process may have, by their place on the bus. `root` is "" on a
// live system; tests pass a folder that holds sys and proc.
std::vector<Device> read_devices(const std::string& root);

// Returns the devices that a process sees with this value of CUDA_VISIBLE_DEVICES (nothing: it is
// not set), in the order in which it counts them. As with the driver, the first word that names no
// device ends the list. Of a part of a device (MIG) whose name does not tell the device, the place
// is unknown.
std::vector<Device> visible_devices(const std::vector<Device>& devices,
                                    const std::optional<std::string>& value);

// Returns "device 0 (NVIDIA H200, 0000:1b:00.0, NUMA node 0)", by its place in machine.devices.
std::string device_text(const Machine& machine, int device);

}  // namespace baton::machine
