#include <fmt/format.h>

#include <strings.h>
#include <cerrno>
#include <cstring>

#include "cli/doctor/devices.hpp"

namespace baton::cli::doctor {

namespace {

constexpr const char* staged = "buffers in device memory need it";
constexpr const char* container = "in a container start it with the devices (--gpus all)";

bool is_there(const Devices& facts) {
  return !facts.present.empty() || !facts.seen.empty() || facts.library_error.empty();
}

void judge_files(const Devices& facts, std::vector<Finding>& findings) {
  for (const DeviceFile& file : facts.files) {
    if (file.error == 0) continue;
    const bool absent = file.error == ENOENT;
    findings.push_back(
        {Verdict::slower, "device file",
         fmt::format("{}: {}; {}", file.path, std::strerror(file.error), staged),
         absent ? fmt::format("{}, else nvidia-modprobe makes it", container)
                : "take part in the group that may open it (ls -l), or see its udev rule"});
  }
}

// Returns what cuInit's results mean, by the documentation's enum CUresult.
Finding judge_start(int result) {
  constexpr int no_device = 100, not_permitted = 800, not_ready = 802, mismatch = 803;
  Finding finding{Verdict::slower, "device driver",
                  fmt::format("the library starts with the error {}; {}", result, staged)};
  if (result == no_device)
    finding.remedy =
        "CUDA_VISIBLE_DEVICES or a control group hides every device, or " + std::string(container);
  else if (result == not_ready)
    finding.remedy = "the devices' switches are not ready: start nvidia-fabricmanager";
  else if (result == mismatch)
    finding.remedy = "library and kernel module are of different versions: restart after updates";
  else if (result == not_permitted)
    finding.remedy = "this user may not use the devices";
  else
    finding.remedy = "nvidia-smi may say more";
  return finding;
}

// Returns the NUMA node of a device; -1: unknown.
int node_of(const Devices& facts, const std::string& bus) {
  for (const machine::Device& device : facts.present)
    if (::strcasecmp(device.bus.c_str(), bus.c_str()) == 0) return device.numa_node;
  return -1;
}

void judge_seen(const Devices& facts, std::vector<Finding>& findings) {
  bool any_part = false;
  for (std::size_t i = 0; i < facts.seen.size(); ++i) {
    const SeenDevice& seen = facts.seen[i];
    const int node = node_of(facts, seen.bus);
    const bool is_part = seen.name.find(" MIG ") != std::string::npos;
    any_part = any_part || is_part;
    findings.push_back(
        {Verdict::good, fmt::format("device {}", i),
         fmt::format("{}, {}, {}, {}{}", seen.name, machine::size_text(seen.bytes), seen.bus,
                     node < 0 ? "nothing tells the NUMA node near it"
                              : fmt::format("near NUMA node {}", node),
                     is_part ? ", a part of a device (MIG)" : "")});
  }
  if (any_part)
    findings.push_back({Verdict::note, "device parts",
                        "parts of devices (MIG) do not open each other's memory: messages between "
                        "them are staged"});
  if (facts.is_limited)
    findings.push_back({Verdict::note, "devices",
                        fmt::format("CUDA_VISIBLE_DEVICES leaves {} of {}", facts.seen.size(),
                                    facts.present.size())});
}

Finding judge_ipc(const Devices& facts) {
  const char* subject = "device memory";
  if (facts.ipc_result == 0) return {Verdict::good, subject, "one rank may open another's (IPC)"};
  return {Verdict::slower, subject,
          fmt::format("one process cannot open another's (the driver's error {}): messages are "
                      "staged through host memory",
                      facts.ipc_result),
          "exclusive compute mode (nvidia-smi -c 0 ends it), WSL and parts of devices forbid it"};
}

}  // namespace

std::vector<Finding> judge_devices(const Devices& facts) {
  std::vector<Finding> findings;
  for (const std::string& file : facts.others)
    findings.push_back({Verdict::note, "other device",
                        fmt::format("{}: a device of AMD's or Intel's, perhaps; buffers in its "
                                    "memory are not supported, copy them to host memory",
                                    file)});
  if (!is_there(facts) && !facts.is_gone) {
    findings.push_back({Verdict::note, "devices", "none of NVIDIA's here"});
    return findings;
  }
  judge_files(facts, findings);
  if (!facts.kernel_version.empty())
    findings.push_back(
        {Verdict::good, "device driver", "NVIDIA's of version " + facts.kernel_version});
  if (facts.is_gone)
    findings.push_back({Verdict::slower, "device driver",
                        fmt::format("the library ends whoever starts it; {}", staged),
                        "see the kernel's log, and nvidia-smi"});
  else if (!facts.library_error.empty())
    findings.push_back({Verdict::slower, "device driver",
                        fmt::format("{}; {}", facts.library_error, staged),
                        fmt::format("install the driver's library, or {}", container)});
  else if (!facts.is_complete)
    findings.push_back({Verdict::slower, "device driver",
                        fmt::format("the library is of CUDA {}.{}; Baton needs 12",
                                    facts.version / 1000, facts.version % 1000 / 10),
                        "update the driver"});
  else if (facts.start_result != 0)
    findings.push_back(judge_start(facts.start_result));
  else
    findings.push_back(
        {Verdict::good, "device library",
         fmt::format("CUDA {}.{}", facts.version / 1000, facts.version % 1000 / 10)});
  judge_seen(facts, findings);
  if (!facts.seen.empty()) findings.push_back(judge_ipc(facts));
  return findings;
}

}  // namespace baton::cli::doctor
