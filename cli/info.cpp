// `baton info` prints which version was built, with which libraries, and the files it found, as
// ompi_info and mpichversion do.
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <mpi.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/environment.hpp"
#include "cli/commands.hpp"
#include "cli/installed_file.hpp"
#include "cli/print.hpp"
#include "machine/devices.hpp"
#include "profile/profile.hpp"

namespace baton::cli {

namespace {

using Line = std::pair<const char*, std::string>;

std::string found(const std::string& name) {
  const std::string path = installed_file(name);
  return path.empty() ? "none" : path;
}

std::string devices() {
  const char* root = environment_variable("BATON_DEVICES_ROOT");
  const auto all = machine::read_devices(root ? root : "");
  std::string text;
  for (const machine::Device& device : all)
    text += (text.empty() ? "" : ", ") + (device.name.empty() ? "unnamed" : device.name) + " (" +
            device.bus + ")";
  return text.empty() ? "none" : text;
}

std::vector<Line> lines() {
  const std::string profile = profile::file_in_use(""), documents = documents_folder();
  return {
      {"baton", BATON_VERSION},
      {"mpi standard", fmt::format("{}.{}", MPI_VERSION, MPI_SUBVERSION)},
      {"mpi abi", fmt::format("{}.{} (libmpi_abi.so.1)", MPI_ABI_VERSION, MPI_ABI_SUBVERSION)},
      {"built by", BATON_COMPILER},
      {"build type", BATON_BUILD_TYPE},
      {"built for", BATON_BUILT_FOR},
      {"c library", fmt::format("glibc {}", ::gnu_get_libc_version())},
      {"hwloc", BATON_HWLOC},
      {"library", found("libmpi_abi.so.1")},
      {"mpiexec", found("mpiexec")},
      {"exported heap", found("libbaton_malloc.so")},
      {"documents", documents.empty() ? "none" : documents},
      {"ways", "shared memory, single copy by cross-memory attach, XPMEM where the machine has it"},
      {"device memory", "NVIDIA, by the driver that the program loads (CUDA 12 and later)"},
      {"devices", devices()},
      {"nodes", "one"},
      {"languages", "C, C++"},
      {"profile", profile.empty() ? "none" : profile},
  };
}

}  // namespace

int print_info(bool json) {
  if (json) {
    nlohmann::ordered_json object;
    for (const auto& [name, value] : lines()) object[name] = value;
    write_out("{}\n", object.dump());
    return 0;
  }
  for (const auto& [name, value] : lines()) write_out("{:<14} {}\n", name, value);
  write_out(
      "settings: baton settings; procedures that are built: coverage.md among the documents\n");
  return 0;
}

}  // namespace baton::cli
