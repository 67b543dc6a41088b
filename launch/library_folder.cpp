#include "launch/library_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "base/search_path.hpp"
#include "launch/environment.hpp"
#include "platform/own_folder.hpp"

namespace baton::launch {

LibraryFolder find_library_folder() {
  char own[PATH_MAX], found[PATH_MAX];
  if (!platform::own_folder(own)) return {};
  for (const char* way : {BATON_LIB_FROM_BIN, "../lib"}) {
    const std::string folder = fmt::format("{}/{}/baton", own, way);
    if (::access((folder + "/libmpi_abi.so.1").c_str(), R_OK) != 0) continue;
    if (!::realpath(folder.c_str(), found)) continue;
    // What the loader takes for the end of a folder, or for a word such as $ORIGIN.
    if (!std::strpbrk(found, ":;$")) return {found, {}};
    return {{},
            fmt::format("programs that were linked against another libmpi_abi.so.1 will load that "
                        "one: {} cannot stand in LD_LIBRARY_PATH, since its path has one of the "
                        "characters : ; $. Install Baton elsewhere",
                        found)};
  }
  return {};
}

void lead_to(const std::string& folder, std::vector<std::string>& environment) {
  std::string before = find_variable(environment, "LD_LIBRARY_PATH").value_or("");
  remove_folder(before.data(), folder);
  before.resize(std::strlen(before.c_str()));
  set_variable(environment, "LD_LIBRARY_PATH", before.empty() ? folder : folder + ":" + before);
  set_variable(environment, "BATON_LIBRARY_FOLDER", folder);
}

bool is_launcher(const std::string& program) {
  const std::string_view name = std::string_view(program).substr(program.rfind('/') + 1);
  constexpr std::string_view names[] = {"mpiexec", "mpirun", "mpiexec_mpt", "mpirun_rsh",
                                        "prterun", "prun",   "orterun",     "srun",
                                        "aprun",   "jsrun"};
  if (std::ranges::find(names, name) != std::end(names)) return true;
  // mpiexec.hydra, mpirun.openmpi, mpirun-openmpi-gcc, hydra_pmi_proxy
  constexpr std::string_view beginnings[] = {"mpiexec.", "mpiexec-", "mpirun.", "mpirun-",
                                             "hydra_"};
  return std::ranges::any_of(beginnings,
                             [name](std::string_view start) { return name.starts_with(start); });
}

}  // namespace baton::launch
