#include "machine/devices.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "machine/cores.hpp"
#include "platform/file_text.hpp"

namespace baton::machine {

namespace {

namespace fs = std::filesystem;

std::string line_of(const std::string& path) {
  std::string text = platform::file_text(path).value_or("");
  text.resize(std::min(text.find('\n'), text.size()));
  return text;
}

// Returns what stands behind a name and a colon in a text of such lines.
std::string value_in(const std::string& text, std::string_view name) {
  const std::size_t found = text.find(std::string(name) + ":");
  if (found == text.npos) return {};
  std::string value = text.substr(found + name.size() + 1);
  value.resize(std::min(value.find('\n'), value.size()));
  value.erase(0, value.find_first_not_of(" \t"));
  return value;
}

std::optional<int> number_in(std::string_view text) {
  if (text.empty() || text.size() > 6) return std::nullopt;
  int number = 0;
  for (char digit : text) {
    if (digit < '0' || digit > '9') return std::nullopt;
    number = 10 * number + (digit - '0');
  }
  return number;
}

std::vector<int> near_cpus(const std::string& list) {
  auto choice = read_core_choice(list);
  if (!choice || choice->kind != CoreChoice::Kind::listed) return {};
  std::ranges::sort(choice->numbers);
  return choice->numbers;
}

bool same_beginning(std::string_view text, std::string_view beginning) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return beginning.size() <= text.size() &&
         std::ranges::equal(beginning, text.substr(0, beginning.size()), {}, lower, lower);
}

// Returns the device that a word of CUDA_VISIBLE_DEVICES names.
std::optional<Device> device_named(const std::vector<Device>& devices, std::string_view word) {
  if (const auto number = number_in(word)) {
    const auto index = static_cast<std::size_t>(*number);
    return index < devices.size() ? std::optional(devices[index]) : std::nullopt;
  }
  const bool is_part = same_beginning(word, "MIG-");
  // The older names of parts are MIG-GPU-ID/N/M, of devices GPU-ID, of which a beginning is enough.
  std::string_view id = is_part ? word.substr(4) : word;
  if (same_beginning(id, "GPU-"))
    for (const Device& device : devices)
      if (same_beginning(device.uuid, id.substr(0, id.find('/')))) {
        Device found = device;
        if (is_part) found.uuid = word;
        return found;
      }
  if (!is_part) return std::nullopt;
  Device unknown;
  unknown.name = "part of a device";
  unknown.uuid = word;
  return unknown;
}

}  // namespace

std::vector<Device> read_devices(const std::string& root) {
  std::vector<Device> devices;
  std::error_code error;
  const std::string told = root + "/proc/driver/nvidia/gpus";
  const bool tells = fs::is_directory(told, error);
  const fs::directory_iterator folders(root + "/sys/bus/pci/drivers/nvidia", error);
  for (const auto& entry : error ? fs::directory_iterator() : folders) {
    Device device;
    device.bus = entry.path().filename();
    // Such as 0000:1b:00.0; other files there are the driver's controls.
    if (std::ranges::count(device.bus, ':') != 2) continue;
    // A container is given some of the devices: the driver tells of no other there.
    const auto facts = platform::file_text(told + '/' + device.bus + "/information");
    if (tells && !facts) continue;
    device.name = value_in(facts.value_or(""), "Model");
    device.uuid = value_in(facts.value_or(""), "GPU UUID");
    device.minor = number_in(value_in(facts.value_or(""), "Device Minor")).value_or(-1);
    device.numa_node = number_in(line_of(entry.path() / "numa_node")).value_or(-1);
    device.near = near_cpus(line_of(entry.path() / "local_cpulist"));
    devices.push_back(device);
  }
  std::ranges::sort(devices, {}, &Device::bus);
  return devices;
}

std::vector<Device> visible_devices(const std::vector<Device>& devices,
                                    const std::optional<std::string>& value) {
  if (!value) return devices;
  std::vector<Device> visible;
  std::string_view rest = *value;
  while (!rest.empty()) {
    std::string_view word = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    const auto found = device_named(devices, word);
    if (!found) break;
    visible.push_back(*found);
  }
  return visible;
}

std::string device_text(const Machine& machine, int number) {
  const Device& device = machine.devices[static_cast<std::size_t>(number)];
  std::string more = device.name;
  const auto add = [&more](const std::string& text) { more += (more.empty() ? "" : ", ") + text; };
  if (!device.bus.empty()) add(device.bus);
  if (device.bus.empty() && !device.uuid.empty()) add(device.uuid);
  if (device.numa_node >= 0) add("NUMA node " + std::to_string(device.numa_node));
  return "device " + std::to_string(number) + (more.empty() ? "" : " (" + more + ")");
}

}  // namespace baton::machine
